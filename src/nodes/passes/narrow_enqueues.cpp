// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/narrow_enqueues.h"

#include <algorithm>
#include <optional>

#include "nodes/device_functions.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;

namespace {

struct Allocation {
    DeviceFunction enqueue;
    uint32_t output;
};

// Of a variable that keeps handles until the end of the workgroup; else none.
Id allocationKeptIn(const NodeShader& shader, Id variable)
{
    const auto pending = std::ranges::find(shader.pendingHandles, variable, &PendingHandle::variable);
    return pending != shader.pendingHandles.end() ? pending->allocation : Id();
}

// What defines the handle, through copies and the variables of enqueueForgottenPayloads.
const Instruction* definitionOf(const NodeShader& shader, Id handle)
{
    const Instruction* i = shader.module.findDefinition(handle);
    while (i && i->op == spv::Op::OpCopyObject)
        i = shader.module.findDefinition(i->id(0));
    const Id kept = i && i->op == spv::Op::OpLoad ? allocationKeptIn(shader, i->id(0)) : Id();
    return kept ? shader.module.findDefinition(kept) : i;
}

// What `handle` was allocated as, if its definition says so.
std::optional<Allocation> findAllocation(const NodeShader& shader, Id handle)
{
    const Instruction* call = definitionOf(shader, handle);
    if (!call)
        return {};
    const bool byInvocation = shader.device.isCall(*call, DeviceFunction::AllocateInvocation);
    uint32_t output = 0;
    if (!byInvocation && !shader.device.isCall(*call, DeviceFunction::AllocateWorkgroup))
        return {};
    if (!shader.module.constantValue(call->id(1), output))
        return {};
    return Allocation{byInvocation ? DeviceFunction::EnqueueInvocation : DeviceFunction::EnqueueWorkgroup, output};
}

bool hasEnqueue(const NodeShader& shader, const spirv::Function& function)
{
    return std::ranges::any_of(function.blocks, [&](const spirv::Block& block) {
        return std::ranges::any_of(
            block.body, [&](const Instruction& i) { return shader.device.isCall(i, DeviceFunction::Enqueue); });
    });
}

bool maySendGrids(const graph::CodeTraits& traits, uint32_t output)
{
    return !traits.gridOutputs || output >= traits.gridOutputs->size() || (*traits.gridOutputs)[output];
}

}  // namespace

Status narrowEnqueues(NodeShader& shader, const Code& code)
{
    const auto visit = [&](const Instruction& i, Emitter& out) {
        const bool isEnqueue = shader.device.isCall(i, DeviceFunction::Enqueue);
        const std::optional<Allocation> allocation = isEnqueue ? findAllocation(shader, i.id(1)) : std::nullopt;
        if (!allocation)
            out.keep(i);
        else if (maySendGrids(code.traits, allocation->output))
            shader.device.call(out, allocation->enqueue, {i.id(1)});
    };
    for (spirv::Function& function : shader.module.functions)
        if (hasEnqueue(shader, function))
            spirv::rewriteFunction(shader.module, function, visit);
    shader.device.declare(shader.module);
    return {};
}

}  // namespace millrace::nodes
