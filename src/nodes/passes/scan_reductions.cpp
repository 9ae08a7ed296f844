// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/scan_reductions.h"

#include <algorithm>

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Function;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint32_t kMostBits = 32;  // that one instruction reduces

bool combinesIntegers(spv::Op op)
{
    switch (op) {
        case spv::Op::OpGroupNonUniformIAdd:
        case spv::Op::OpGroupNonUniformSMin:
        case spv::Op::OpGroupNonUniformUMin:
        case spv::Op::OpGroupNonUniformSMax:
        case spv::Op::OpGroupNonUniformUMax:
        case spv::Op::OpGroupNonUniformBitwiseAnd:
        case spv::Op::OpGroupNonUniformBitwiseOr:
        case spv::Op::OpGroupNonUniformBitwiseXor:
            return true;
        default:
            return false;
    }
}

// Operands: scope, operation, value.
bool isReduction(const Module& module, const Instruction& i)
{
    if (!combinesIntegers(i.op) || i.literal(1) != static_cast<uint32_t>(spv::GroupOperation::Reduce))
        return false;
    const Instruction* type = module.findDefinition(i.type);
    if (type && type->op == spv::Op::OpTypeVector)
        type = module.findDefinition(type->id(0));
    return type && type->op == spv::Op::OpTypeInt && type->literal(0) <= kMostBits;
}

// The result keeps its id.
void emitScan(Module& module, const Instruction& reduction, Emitter& emitter)
{
    const Id scope = reduction.id(0);
    const Id uintType = module.getIntType(32, false);
    const Id scan = module.newId();
    emitter.keep(spirv::instruction(reduction.op, reduction.type, scan)
                     .add(scope)
                     .add(static_cast<uint32_t>(spv::GroupOperation::InclusiveScan))
                     .add(reduction.id(2)));
    const Id here = emitter.emit(spv::Op::OpGroupNonUniformBallot, module.getVectorType(uintType, 4),
                                 {scope, module.getConstantBool(true)});
    const Id last = emitter.emit(spv::Op::OpGroupNonUniformBallotFindMSB, uintType, {scope, here});
    emitter.keep(spirv::instruction(spv::Op::OpGroupNonUniformShuffle, reduction.type, reduction.result)
                     .add(scope)
                     .add(scan)
                     .add(last));
}

}  // namespace

Status scanReductions(NodeShader& shader, const Target& target)
{
    if (!target.scansToReduce)
        return {};
    Module& module = shader.module;
    bool found = false;
    for (Function& function : module.functions) {
        spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& emitter) {
            if (!isReduction(module, i)) {
                emitter.keep(i);
                return;
            }
            found = true;
            emitScan(module, i, emitter);
        });
    }
    if (found) {
        module.addCapability(spv::Capability::GroupNonUniformBallot);
        module.addCapability(spv::Capability::GroupNonUniformShuffle);
    }
    return {};
}

}  // namespace millrace::nodes
