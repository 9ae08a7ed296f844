// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/held_input.h"

#include "nodes/payload_types.h"
#include "shader/globals.h"
#include "shader/type_layouts.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// More would take registers, or more parameters than a function may have (255).
constexpr size_t kMaxPassedLeaves = 64;
constexpr auto kPrivate = spv::StorageClass::Private;

bool uses(const Instruction& i, Id id)
{
    for (size_t o = 0; o < i.operandCount(); ++o)
        if (i.isId(o) && i.id(o) == id)
            return true;
    return false;
}

struct Holder {
    Module& module;
    Id input;
    const HeldInput& held;
    spv::StorageClass storage;
    PlainMemory& memory;
    shader::Failure& failure;

    // A chain that leads to the payload.
    Instruction begin(Id type, Id result, Emitter& out) const
    {
        Instruction chain = spirv::instruction(spv::Op::OpAccessChain, type, result).add(held.variable);
        if (held.number)
            chain.add(out.emit(spv::Op::OpLoad, module.getIntType(32, false), {held.number}));
        return chain;
    }

    Id wholePayload(Emitter& out) const
    {
        if (!held.number)
            return held.variable;
        const Id array = module.pointee(module.typeOf(held.variable));
        const Id type = module.getPointerType(storage, module.findDefinition(array)->id(0));
        Instruction chain = begin(type, module.newId(), out);
        const Id result = chain.result;
        memory.add(result, storage);
        out.keep(std::move(chain));
        return result;
    }

    void visit(const Instruction& i, Emitter& out)
    {
        if (!uses(i, input)) {
            out.keep(i);
        } else if (i.op == spv::Op::OpNodePayloadArrayLengthAMDX) {
            const Id one = module.getConstant(1);
            const auto op = i.type == module.typeOf(one) ? spv::Op::OpCopyObject : spv::Op::OpBitcast;
            out.keep(spirv::instruction(op, i.type, i.result).add(one));
        } else if (shader::isAccessChain(i.op) && shader::firstIndexOperand(i.op) == 1) {
            // The array around the payload is gone.
            const auto element = payloadIndexOperand(module, i);
            Instruction chain = begin(i.type, i.result, out);
            for (size_t o = element ? *element + 1 : 1; o < i.operandCount(); ++o)
                chain.add(i.id(o));
            memory.add(chain.result, storage);
            out.keep(std::move(chain));
        } else if (i.op == spv::Op::OpLoad && !held.isArray) {
            Instruction load = i;
            load.setId(0, wholePayload(out));
            out.keep(std::move(load));
        } else {
            failure.at(module, i, "uses the input payloads as a whole");
        }
    }
};

}  // namespace

std::optional<HeldInput> holdInput(NodeShader& shader, PlainMemory& memory, shader::Failure& failure,
                                   const CallersPayloads& callers)
{
    HeldInput held;
    const Id input = shader.input;
    if (!input)
        return held;
    Module& module = shader.module;
    const Id array = payloadArrayOf(module, module.typeOf(input));
    const Id type = array ? module.findDefinition(array)->id(0) : module.pointee(module.typeOf(input));
    auto leaves = leavesOf(module, type, callers.count > 0 ? kMaxKeptLeaves : kMaxPassedLeaves);
    if (!leaves) {
        failure.at(leaves.error().where, leaves.error().message);
        return std::nullopt;
    }
    const bool isCallers = callers.count > 0 && (callers.byWorkgroup || leaves->size() > kMaxPassedLeaves);
    const auto storage = callers.byWorkgroup ? spv::StorageClass::Workgroup : kPrivate;
    held = {memory.createVariable(type, isCallers ? callers.count : 0, storage),
            std::move(*leaves),
            static_cast<bool>(array),
            {}};
    if (isCallers)
        held.number = module.createVariable(module.getPointerType(kPrivate, module.getIntType(32, false)), kPrivate);
    Holder holder{module, input, held, storage, memory, failure};
    for (spirv::Function& function : module.functions)
        spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) { holder.visit(i, out); });
    return failure ? std::nullopt : std::optional(std::move(held));
}

bool holdRemaining(NodeShader& shader, Id variable, shader::Failure& failure)
{
    Module& module = shader.module;
    const Id uintType = module.getIntType(32, false);
    const Id builtIn = shader::findBuiltIn(module, spv::BuiltIn::RemainingRecursionLevelsAMDX);
    for (spirv::Function& function : module.functions) {
        spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) {
            if (!builtIn || !uses(i, builtIn)) {
                out.keep(i);
            } else if (i.op != spv::Op::OpLoad) {
                failure.at(module, i, "uses the number of levels for more than loads");
            } else if (i.type == uintType) {
                out.keep(spirv::instruction(i.op, i.type, i.result).add(variable));
            } else {
                const Id value = out.emit(i.op, uintType, {variable});
                out.keep(spirv::instruction(spv::Op::OpBitcast, i.type, i.result).add(value));
            }
        });
    }
    return !failure;
}

}  // namespace millrace::nodes
