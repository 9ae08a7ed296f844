// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/make_payloads_coherent.h"

#include <set>

#include "nodes/payload_origins.h"
#include "nodes/payload_types.h"
#include "shader/memory_operands.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

struct State {
    NodeShader& shader;
    Module& module = shader.module;
    PayloadOrigins origins{module, shader.input};
    // Only workgroups of one dispatch share a payload, and only if somebody writes it there is something to see.
    bool sharesInput = shader.input && (shader.node.declared.writesInput || shader.node.declared.usesFinishWriting);
    Id workgroupScope = module.getConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
    Id queueFamilyScope = module.getConstant(static_cast<uint32_t>(spv::Scope::QueueFamily));

    template <typename Visit>
    void forEachAccess(const Visit& visit)
    {
        for (spirv::Function& function : module.functions) {
            for (spirv::Block& block : function.blocks) {
                for (Instruction& i : block.body) {
                    const bool isAccess = i.op == spv::Op::OpLoad || i.op == spv::Op::OpStore;
                    if (isAccess && origins.isPayloadMemory(i.id(0)))
                        visit(i);
                }
            }
        }
    }

    void addOperands(Instruction& i)
    {
        const bool isInput = origins.mayBeInput(i.id(0));
        const bool isOutput = origins.mayBeOutput(i.id(0));
        if (!isOutput && !(isInput && sharesInput))
            return;
        const bool isWide = isInput && sharesInput && shader.node.declared.mode != graph::LaunchMode::Coalescing;
        const Id scope = isWide ? queueFamilyScope : workgroupScope;
        shader::MemoryOperands operands = shader::memoryOperandsOf(i);
        operands.set(spv::MemoryAccessMask::NonPrivatePointer);
        if (i.op == spv::Op::OpLoad && !operands.has(spv::MemoryAccessMask::MakePointerVisible)) {
            operands.set(spv::MemoryAccessMask::MakePointerVisible);
            operands.visible = scope;
        } else if (i.op == spv::Op::OpStore && !operands.has(spv::MemoryAccessMask::MakePointerAvailable)) {
            operands.set(spv::MemoryAccessMask::MakePointerAvailable);
            operands.available = scope;
        }
        shader::setMemoryOperands(i, operands);
    }

    bool readsOutput()
    {
        bool found = false;
        forEachAccess([&](const Instruction& i) { found |= i.op == spv::Op::OpLoad && origins.mayBeOutput(i.id(0)); });
        return found;
    }

    Id payloadType(Id type) const { return isPayloadArray(module, type) ? module.findDefinition(type)->id(0) : type; }

    void decoratePayloads()
    {
        std::set<uint32_t> types;
        if (sharesInput)
            types.insert(payloadType(module.pointee(module.typeOf(shader.input))).value);
        if (readsOutput())
            for (const auto& [array, output] : shader.outputOfArray)
                types.insert(payloadType(Id{array}).value);
        bool hasBare = false;  // payloads without members that could be decorated
        for (const uint32_t type : types) {
            const Instruction* definition = module.findDefinition(Id{type});
            if (!definition || definition->op != spv::Op::OpTypeStruct) {
                hasBare = true;
                continue;
            }
            for (uint32_t member = 0; member < definition->operandCount(); ++member)
                module.decorateMember(Id{type}, member, spv::Decoration::Coherent);
        }
        if (hasBare) {
            forEachAccess([](Instruction& i) {
                shader::MemoryOperands operands = shader::memoryOperandsOf(i);
                operands.set(spv::MemoryAccessMask::Volatile);
                shader::setMemoryOperands(i, operands);
            });
        }
    }
};

}  // namespace

Status makePayloadsCoherent(NodeShader& shader)
{
    State state{shader};
    if (shader.vulkanMemoryModel)
        state.forEachAccess([&](Instruction& i) { state.addOperands(i); });
    else
        state.decoratePayloads();
    return {};
}

}  // namespace millrace::nodes
