// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/compile.h"
#include "compiler/node_shader.h"

namespace millrace::compiler {

// With graph::MemoryUse::None, payloads that workgroups keep move to scratch memory (DeviceFunction::WorkgroupMemory)
// if graph::NodeDecisions::groupMemoryBytes says so: what a device has of workgroup memory bounds how many workgroups
// it runs at once. They are read and written with the scope of the workgroup, which takes the Vulkan memory model;
// other modules get it. Elsewhere payloads stay in workgroup memory, unmarked (compiler/fusion/kept_memory.h).
Status placeKeptPayloads(NodeShader& shader, const Code& code);

}  // namespace millrace::compiler
