// SPDX-License-Identifier: Apache-2.0
#include "commands/search.h"

namespace millrace::commands {

using spirv::Emitter;
using spirv::Id;

Id searchLast(compiler::FunctionWriter& writer, Id count, Id wanted, const std::function<Id(Emitter&, Id)>& load)
{
    spirv::Module& module = writer.out().module();
    const Id word = module.getIntType(32, false), boolType = module.getBoolType();
    const Id one = module.getConstant(1);
    const Id begun = writer.label();
    const Id header = module.newId(), check = module.newId(), inside = module.newId();
    const Id next = module.newId(), after = module.newId();
    const Id low = module.newId(), high = module.newId();
    const Id newLow = module.newId(), newHigh = module.newId();
    writer.branch(header);
    writer.beginBlock(header);
    const auto phi = [&](Id result, Id first, Id second) {
        writer.out().keep(spirv::instruction(spv::Op::OpPhi, word, result).add(first).add(begun).add(second).add(next));
    };
    phi(low, module.getConstant(0), newLow);
    phi(high, count, newHigh);
    writer.out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(0u));
    writer.branch(check);
    writer.beginBlock(check);
    Emitter checking = writer.out();
    const Id left = checking.emit(spv::Op::OpISub, word, {high, low});
    const Id isMore = checking.emit(spv::Op::OpUGreaterThan, boolType, {left, one});
    checking.emitVoid(spv::Op::OpBranchConditional, {isMore, inside, after});
    writer.beginBlock(inside);
    Emitter out = writer.out();
    const Id middle = out.emit(spv::Op::OpIAdd, word, {low, out.emit(spv::Op::OpShiftRightLogical, word, {left, one})});
    const Id isBehind = out.emit(spv::Op::OpUGreaterThan, boolType, {load(out, middle), wanted});
    out.keep(spirv::instruction(spv::Op::OpSelect, word, newLow).add(isBehind).add(low).add(middle));
    out.keep(spirv::instruction(spv::Op::OpSelect, word, newHigh).add(isBehind).add(middle).add(high));
    writer.branch(next);
    writer.beginBlock(next);
    writer.branch(header);
    writer.beginBlock(after);
    return low;
}

namespace {

class Ballots {
public:
    explicit Ballots(spirv::Module& module)
        : m_module(module),
          m_word(module.getIntType(32, false)),
          m_votes(module.getVectorType(m_word, 4)),
          m_scope(module.getConstant(static_cast<uint32_t>(spv::Scope::Subgroup)))
    {
        module.addCapability(spv::Capability::GroupNonUniform);
        module.addCapability(spv::Capability::GroupNonUniformBallot);
    }

    Id vote(Emitter& out, Id condition)
    {
        return out.emit(spv::Op::OpGroupNonUniformBallot, m_votes, {m_scope, condition});
    }
    Id count(Emitter& out, Id votes, spv::GroupOperation operation = spv::GroupOperation::Reduce)
    {
        const Id result = m_module.newId();
        out.keep(spirv::instruction(spv::Op::OpGroupNonUniformBallotBitCount, m_word, result)
                     .add(m_scope)
                     .add(static_cast<uint32_t>(operation))
                     .add(votes));
        return result;
    }

private:
    spirv::Module& m_module;
    Id m_word, m_votes, m_scope;
};

}  // namespace

// Each round divides what is left into one part more than there are invocations. Those that look at the first number of
// a part which is not above `wanted` are the first ones, and how many they are says which part it is.
Id searchLastTogether(compiler::FunctionWriter& writer, Id count, Id wanted,
                      const std::function<Id(Emitter&, Id)>& load)
{
    spirv::Module& module = writer.out().module();
    const Id word = module.getIntType(32, false), boolType = module.getBoolType();
    const Id zero = module.getConstant(0), one = module.getConstant(1);
    Ballots ballots(module);
    Emitter before = writer.out();
    const Id all = ballots.vote(before, module.getConstantBool(true));
    const Id parts = before.emit(spv::Op::OpIAdd, word, {ballots.count(before, all), one});
    const Id part =
        before.emit(spv::Op::OpIAdd, word, {ballots.count(before, all, spv::GroupOperation::ExclusiveScan), one});
    const Id begun = writer.label();
    const Id header = module.newId(), check = module.newId(), inside = module.newId();
    const Id next = module.newId(), after = module.newId();
    const Id low = module.newId(), left = module.newId(), newLow = module.newId(), newLeft = module.newId();
    writer.branch(header);
    writer.beginBlock(header);
    const auto phi = [&](Id result, Id first, Id second) {
        writer.out().keep(spirv::instruction(spv::Op::OpPhi, word, result).add(first).add(begun).add(second).add(next));
    };
    phi(low, zero, newLow);
    phi(left, count, newLeft);
    writer.out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(0u));
    writer.branch(check);
    writer.beginBlock(check);
    Emitter checking = writer.out();
    const Id isMore = checking.emit(spv::Op::OpUGreaterThan, boolType, {left, one});
    checking.emitVoid(spv::Op::OpBranchConditional, {isMore, inside, after});
    writer.beginBlock(inside);
    Emitter out = writer.out();
    const Id rounded = out.emit(spv::Op::OpIAdd, word, {left, out.emit(spv::Op::OpISub, word, {parts, one})});
    const Id size = out.emit(spv::Op::OpUDiv, word, {rounded, parts});
    const Id own = out.emit(spv::Op::OpIMul, word, {size, part});
    const Id isThere = out.emit(spv::Op::OpULessThan, boolType, {own, left});
    const Id place = out.emit(spv::Op::OpIAdd, word, {low, out.emit(spv::Op::OpSelect, word, {isThere, own, zero})});
    const Id isNotAbove = out.emit(spv::Op::OpULessThanEqual, boolType, {load(out, place), wanted});
    const Id isInFront = out.emit(spv::Op::OpLogicalAnd, boolType, {isThere, isNotAbove});
    const Id skipped = out.emit(spv::Op::OpIMul, word, {size, ballots.count(out, ballots.vote(out, isInFront))});
    out.keep(spirv::instruction(spv::Op::OpIAdd, word, newLow).add(low).add(skipped));
    const Id behind = out.emit(spv::Op::OpISub, word, {left, skipped});
    const Id isLess = out.emit(spv::Op::OpULessThan, boolType, {behind, size});
    out.keep(spirv::instruction(spv::Op::OpSelect, word, newLeft).add(isLess).add(behind).add(size));
    writer.branch(next);
    writer.beginBlock(next);
    writer.branch(header);
    writer.beginBlock(after);
    return low;
}

}  // namespace millrace::commands
