// SPDX-License-Identifier: Apache-2.0
// The builds of src/shaders/device/node.glsl, ready to be linked into node shaders.
#pragma once

#include <cstdint>

#include "abi/node_code.h"
#include "base/result.h"
#include "graph/graph.h"
#include "spirv/library.h"

namespace millrace::compiler {

// What is decided before a node is known: the build, and the constants that remove code (abi/node_code.h). Linking
// fills in the numbers.
struct DeviceLibraryVariant {
    uint32_t kind = abi::kKindStatic;  // abi::kKind*
    graph::MemoryUse memory = graph::MemoryUse::Reserves;
    bool indirect = false;
    bool vulkanMemoryModel = false;
    uint32_t emits = abi::kEmitsToSeveral;  // abi::kEmits*
    bool sendsGrids = true;                 // and the next two: graph::CodeTraits
    bool sendsTracked = true;
    bool plainQueues = false;
    bool batched = false;      // a dispatch may run several slots
    bool counted = false;      // finished workgroups are counted for the host
    bool loose = false;        // workgroups need not stay together: graph::isLoose()
    bool keeps = false;        // leaves: workgroups have scratch memory, graph::Node::groupMemoryBytes
    bool begins = false;       // likewise; where the dispatch fits
    bool once = false;         // graph::Node::sendsWhenFinished, likewise
    bool stepsInside = false;  // passes/step_through_grid.h
    bool sends = true;         // the node imports functions that send payloads
    bool longAtomics = true;   // Options::longAtomics
    uint32_t subgroupOperations = abi::kSubgroupArithmetic;  // Options::subgroupOperations

    auto operator<=>(const DeviceLibraryVariant&) const = default;
};

// Made at the first call for a variant and kept until the process ends. Thread-safe.
// Errors: only if the library was built wrongly.
const Result<spirv::Library>& getDeviceLibrary(const DeviceLibraryVariant& variant);

}  // namespace millrace::compiler
