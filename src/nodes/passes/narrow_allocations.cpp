// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/narrow_allocations.h"

#include <algorithm>

#include "nodes/device_functions.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Instruction;

namespace {

bool isNarrow(const NodeShader& shader, const Instruction& i)
{
    uint32_t output = 0;
    return shader.node.decided.depthFirst == 0 && shader.device.isCall(i, DeviceFunction::AllocateInvocation) &&
           shader.module.constantValue(i.id(1), output) && shader.node.declared.outputs[output].constantIndex;
}

}  // namespace

Status narrowAllocations(NodeShader& shader)
{
    const auto visit = [&](const Instruction& i, Emitter& out) {
        if (isNarrow(shader, i))
            shader.device.callAs(out, i.result, DeviceFunction::AllocateToOne, {i.id(1), i.id(2), i.id(3)});
        else
            out.keep(i);
    };
    const auto isAffected = [&](const spirv::Function& function) {
        return std::ranges::any_of(function.blocks, [&](const spirv::Block& block) {
            return std::ranges::any_of(block.body, [&](const Instruction& i) { return isNarrow(shader, i); });
        });
    };
    for (spirv::Function& function : shader.module.functions)
        if (isAffected(function))
            spirv::rewriteFunction(shader.module, function, visit);
    shader.device.declare(shader.module);
    return {};
}

}  // namespace millrace::nodes
