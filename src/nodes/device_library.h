// SPDX-License-Identifier: Apache-2.0
// The builds of src/shaders/device/node.glsl, ready to be linked into node shaders.
#pragma once

#include "abi/node_code.h"
#include "base/result.h"
#include "graph/graph.h"
#include "spirv/library.h"

namespace millrace::nodes {

// What is decided without specialization constants (abi/node_code.h).
struct DeviceLibraryBuild {
    uint32_t kind = abi::kKindStatic;  // abi::kKind*
    graph::MemoryUse memory = graph::MemoryUse::Reserves;
    bool vulkanMemoryModel = false;
    bool depthFirst = false;  // packed and Reserves only; of no matter elsewhere

    auto operator<=>(const DeviceLibraryBuild&) const = default;
};

// Made at the first call for a build and kept until the process ends. Thread-safe.
// Errors: only if the library was built wrongly.
const Result<spirv::Library>& getDeviceLibrary(const DeviceLibraryBuild& build);

}  // namespace millrace::nodes
