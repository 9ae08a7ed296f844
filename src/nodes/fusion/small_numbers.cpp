// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/small_numbers.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint32_t kWordBits = 32;

bool isNumber(const Instruction& type)
{
    return type.op == spv::Op::OpTypeInt || type.op == spv::Op::OpTypeFloat;
}

const Instruction& scalarOf(const Module& module, Id type)
{
    const Instruction& t = *module.findDefinition(type);
    return t.op == spv::Op::OpTypeVector ? *module.findDefinition(t.id(0)) : t;
}

bool isSigned(const Instruction& type)
{
    return type.op == spv::Op::OpTypeInt && type.literal(1) != 0;
}

// The vector of as many components as `like`, or the component itself.
Id inShapeOf(Module& module, Id like, Id component)
{
    const Instruction* t = module.findDefinition(like);
    return t->op == spv::Op::OpTypeVector ? module.getVectorType(component, t->literal(1)) : component;
}

}  // namespace

bool isSmall(const Instruction& type)
{
    return isNumber(type) && type.literal(0) < kWordBits;
}

bool isInBuffersOnly(const Module& module, const Instruction& type)
{
    if (!isSmall(type))
        return false;
    const auto needed = type.op == spv::Op::OpTypeFloat ? spv::Capability::Float16
                        : type.literal(0) == 8          ? spv::Capability::Int8
                                                        : spv::Capability::Int16;
    return !module.hasCapability(needed);
}

Id widened(Module& module, Id small)
{
    const Instruction* t = module.findDefinition(small);
    return t->op == spv::Op::OpTypeFloat ? module.getFloatType(kWordBits) : module.getIntType(kWordBits, isSigned(*t));
}

Id withWidth(Emitter& out, Id value, Id given, Id type)
{
    if (given == type)
        return value;
    Module& module = out.module();
    // By value: types are added meanwhile.
    const Instruction from = scalarOf(module, given);
    const Instruction to = scalarOf(module, type);
    if (from.op == spv::Op::OpTypeFloat)
        return out.emit(spv::Op::OpFConvert, type, {value});
    const uint32_t bits = to.literal(0);
    if (from.literal(0) == bits)
        return out.emit(spv::Op::OpBitcast, type, {value});
    // The conversion gives or takes the small type itself, since that may not take part in a cast.
    if (isSigned(from.literal(0) < bits ? from : to))
        return out.emit(spv::Op::OpSConvert, type, {value});
    const Id unsignedType = inShapeOf(module, type, module.getIntType(bits, false));
    const Id converted = out.emit(spv::Op::OpUConvert, unsignedType, {value});
    return unsignedType == type ? converted : out.emit(spv::Op::OpBitcast, type, {converted});
}

}  // namespace millrace::nodes
