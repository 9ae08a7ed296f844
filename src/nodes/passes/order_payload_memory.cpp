// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/order_payload_memory.h"

#include <vector>

#include "shader/diagnose.h"
#include "shader/memory_operands.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint32_t kOrders = 0x2 | 0x4 | 0x8 | 0x10;  // Acquire, Release, AcquireRelease, SequentiallyConsistent
constexpr uint32_t kUniformMemory = static_cast<uint32_t>(spv::MemorySemanticsMask::UniformMemory);
constexpr uint32_t kOutputMemory = static_cast<uint32_t>(spv::MemorySemanticsMask::OutputMemory);

// Operands that are memory semantics.
std::vector<size_t> semanticsOperands(const Instruction& i)
{
    switch (i.op) {
        case spv::Op::OpControlBarrier:
            return {2};
        case spv::Op::OpMemoryBarrier:
            return {1};
        case spv::Op::OpAtomicCompareExchange:
        case spv::Op::OpAtomicCompareExchangeWeak:
            return {2, 3};
        default:
            break;
    }
    return shader::isAtomic(i.op) ? std::vector<size_t>{2} : std::vector<size_t>{};
}

struct State {
    NodeShader& shader;
    Module& module = shader.module;
    shader::Failure failure{"orderPayloadMemory"};

    void visit(const Instruction& i, Emitter& out)
    {
        Instruction kept = i;
        uint32_t last = 0;
        for (const size_t o : semanticsOperands(i)) {
            if (o >= i.operandCount() || !i.isId(o) || !module.constantValue(i.id(o), last)) {
                failure.at(module, i, "the memory semantics are no constant");
                break;
            }
            if ((last & kOrders) != 0)
                kept.setId(o, module.getConstant((last & ~kOutputMemory) | kUniformMemory));
        }
        // A packed workgroup is one invocation: it waits for nobody, and others in ours must not be waited for.
        if (i.op != spv::Op::OpControlBarrier || !graph::isPacked(shader.node))
            out.keep(std::move(kept));
        else if ((last & kOrders) != 0)
            out.emitVoid(spv::Op::OpMemoryBarrier, {kept.id(1), kept.id(2)});
    }
};

}  // namespace

Status orderPayloadMemory(NodeShader& shader)
{
    State state{shader};
    for (spirv::Function& function : shader.module.functions) {
        spirv::rewriteFunction(shader.module, function,
                               [&](const Instruction& i, Emitter& out) { state.visit(i, out); });
    }
    return state.failure.status();
}

}  // namespace millrace::nodes
