// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// With graph::MemoryUse::None, payloads that workgroups keep move to scratch memory (DeviceFunction::WorkgroupMemory)
// if graph::NodeDecisions::groupMemoryBytes says so: what a device has of workgroup memory bounds how many workgroups
// it runs at once. They are read and written with the scope of the workgroup, which takes the Vulkan memory model;
// other modules get it. Elsewhere payloads stay in workgroup memory, unmarked (nodes/fusion/kept_memory.h).
Status placeKeptPayloads(NodeShader& shader, const Code& code);

}  // namespace millrace::nodes
