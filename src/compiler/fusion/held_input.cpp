// SPDX-License-Identifier: Apache-2.0
#include "compiler/fusion/held_input.h"

#include "compiler/payload_types.h"

namespace millrace::compiler {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// More would take registers, or more parameters than a function may have (255).
constexpr size_t kMaxPayloadLeaves = 64;

bool uses(const Instruction& i, Id id)
{
    for (size_t o = 0; o < i.operandCount(); o++) {
        if (i.isId(o) && i.id(o) == id) {
            return true;
        }
    }
    return false;
}

struct Holder {
    Module& module;
    Id input;
    const HeldInput& held;
    PrivateMemory& memory;
    Failure& failure;

    void visit(const Instruction& i, Emitter& out)
    {
        if (!uses(i, input)) {
            out.keep(i);
        } else if (i.op == spv::Op::OpNodePayloadArrayLengthAMDX) {
            const Id one = module.getConstant(1);
            const auto op = i.type == module.typeOf(one) ? spv::Op::OpCopyObject : spv::Op::OpBitcast;
            out.keep(spirv::instruction(op, i.type, i.result).add(one));
        } else if (isAccessChain(i.op) && firstIndexOperand(i.op) == 1) {
            // The array around the payload is gone.
            const auto element = payloadIndexOperand(module, i);
            Instruction chain = spirv::instruction(spv::Op::OpAccessChain, i.type, i.result).add(held.variable);
            for (size_t o = element ? *element + 1 : 1; o < i.operandCount(); o++) {
                chain.add(i.id(o));
            }
            memory.add(chain.result);
            out.keep(std::move(chain));
        } else if (i.op == spv::Op::OpLoad && !held.isArray) {
            Instruction load = i;
            load.setId(0, held.variable);
            out.keep(std::move(load));
        } else {
            failure.at(module, i, "uses the input payloads as a whole");
        }
    }
};

}  // namespace

std::optional<HeldInput> holdInput(NodeShader& shader, PrivateMemory& memory, Failure& failure)
{
    HeldInput held;
    const Id input = shader.input;
    if (!input) {
        return held;
    }
    Module& module = shader.module;
    const Id array = payloadArrayOf(module, module.typeOf(input));
    const Id type = array ? module.findDefinition(array)->id(0) : module.pointee(module.typeOf(input));
    auto leaves = leavesOf(module, type, kMaxPayloadLeaves);
    if (!leaves) {
        failure.at(leaves.error().where, leaves.error().message);
        return std::nullopt;
    }
    held = {memory.createVariable(type), std::move(*leaves), static_cast<bool>(array)};
    Holder holder{module, input, held, memory, failure};
    for (spirv::Function& function : module.functions) {
        spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) { holder.visit(i, out); });
    }
    return failure ? std::nullopt : std::optional(std::move(held));
}

}  // namespace millrace::compiler
