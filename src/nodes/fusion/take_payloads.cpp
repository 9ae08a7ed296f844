// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/take_payloads.h"

#include "shader/function_writer.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Module;

namespace {

constexpr auto kPrivate = spv::StorageClass::Private;
constexpr auto kWorkgroup = spv::StorageClass::Workgroup;

Id smallerOf(Emitter& out, Id a, Id b)
{
    Module& module = out.module();
    const Id isLess = out.emit(spv::Op::OpULessThan, module.getBoolType(), {a, b});
    return out.emit(spv::Op::OpSelect, module.getIntType(32, false), {isLess, a, b});
}

// for (i = 0; i < count; ++i) indices[first + i] = index;
void fillIndices(shader::FunctionWriter& writer, Module& module, const KeptOutput& kept, Id first, Id count, Id index)
{
    const Id uintType = module.getIntType(32, false);
    const Id pointer = module.getPointerType(kept.byWorkgroup ? kWorkgroup : kPrivate, uintType);
    writer.forEach(count, [&](Id i) {
        Emitter out = writer.out();
        const Id place = out.emit(spv::Op::OpIAdd, uintType, {first, i});
        const Id where = out.emit(spv::Op::OpAccessChain, pointer, {kept.indices, place});
        out.emitVoid(spv::Op::OpStore, {where, index});
    });
}

}  // namespace

Id writeTakeInLine(Module& module, const KeptOutput& kept)
{
    const Id uintType = module.getIntType(32, false);
    shader::FunctionWriter writer(module);
    const Id count = writer.addParameter(uintType);
    const Id index = writer.addParameter(uintType);
    writer.beginBlock();
    Emitter out = writer.out();
    const Id first = out.emit(spv::Op::OpLoad, uintType, {kept.count});
    const Id left = out.emit(spv::Op::OpISub, uintType, {module.getConstant(kept.most), first});
    const Id got = smallerOf(out, count, left);
    out.emitVoid(spv::Op::OpStore, {kept.count, out.emit(spv::Op::OpIAdd, uintType, {first, got})});
    const Id high = out.emit(spv::Op::OpShiftLeftLogical, uintType, {got, module.getConstant(kHandleCountBit)});
    out.emitVoid(spv::Op::OpStore, {kept.handle, out.emit(spv::Op::OpBitwiseOr, uintType, {high, first})});
    fillIndices(writer, module, kept, first, got, index);
    return writer.finish();
}

Id writeTakeShared(Module& module, const KeptOutput& kept)
{
    const Id uintType = module.getIntType(32, false);
    shader::FunctionWriter writer(module);
    const Id count = writer.addParameter(uintType);
    const Id index = writer.addParameter(uintType);
    const Id most = module.getConstant(kept.most);
    const Id join = module.newId();
    writer.beginBlock();
    Emitter out = writer.out();
    out.emitVoid(spv::Op::OpStore, {kept.count, module.getConstant(0)});
    out.emitVoid(spv::Op::OpStore, {kept.first, most});
    writer.beginIf(out.emit(spv::Op::OpINotEqual, module.getBoolType(), {count, module.getConstant(0)}), join);
    Emitter inside = writer.out();
    const Id scope = module.getConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
    const Id relaxed = module.getConstant(0);
    const Id taken = inside.emit(spv::Op::OpAtomicIAdd, uintType, {kept.taken, scope, relaxed, count});
    const Id first = smallerOf(inside, taken, most);
    const Id got = smallerOf(inside, count, inside.emit(spv::Op::OpISub, uintType, {most, first}));
    inside.emitVoid(spv::Op::OpStore, {kept.first, first});
    inside.emitVoid(spv::Op::OpStore, {kept.count, got});
    fillIndices(writer, module, kept, first, got, index);
    writer.endIf(join);
    return writer.finish();
}

}  // namespace millrace::nodes
