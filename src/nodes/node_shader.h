// SPDX-License-Identifier: Apache-2.0
// A node shader on its way through the passes: the module and what the passes tell each other.
#pragma once

#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "nodes/device_functions.h"
#include "spirv/module.h"

namespace millrace::nodes {

// A Private variable that gets a value at the start of each workgroup.
struct StartValue {
    enum class Kind {
        WorkgroupId,
        GlobalInvocationId,
        LocalInvocationId,     // where several of the node's workgroups share one of ours
        LocalInvocationIndex,  // likewise
        RemainingRecursion,
        ShaderIndex,
        BuiltIn,   // of the Input variable `source`, another signedness
        Constant,  // `source`
    };
    Kind kind = Kind::Constant;
    spirv::Id variable;
    spirv::Id source;
};

// A Private variable whose handle is enqueued at the end of the workgroup, and the allocation that its handles are of.
struct PendingHandle {
    spirv::Id variable;
    spirv::Id allocation;
};

struct NodeShader {
    spirv::Module module;
    graph::Node node;
    spirv::Id entry;  // the entry point's OpFunction
    spirv::Id input;  // the input payload's OpVariable; none before reflectNode and after lowerPayloads
    std::unordered_map<uint32_t, uint32_t> outputOfArray;  // payload array type to index into node.outputs
    DeviceFunctions device;
    bool vulkanMemoryModel = false;
    bool hasLoops = false;    // the node itself, known behind choosePacking
    size_t ownFunctions = 0;  // behind linkDeviceLibrary: in front of the device functions

    // For wrapEntryPoint.
    std::vector<StartValue> startValues;
    std::vector<PendingHandle> pendingHandles;
    spirv::Id arguments;           // PushConstant variable
    uint32_t argumentsMember = 0;  // its first of four uvec2 members that hold abi::NodeArguments
};

}  // namespace millrace::nodes
