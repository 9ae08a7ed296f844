// SPDX-License-Identifier: Apache-2.0
#include "commands/search.h"

namespace millrace::commands {

using spirv::Emitter;
using spirv::Id;

Id searchLast(shader::FunctionWriter& writer, Id count, Id wanted, const std::function<Id(Emitter&, Id)>& load)
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

}  // namespace millrace::commands
