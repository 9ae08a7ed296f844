// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/leaves.h"

#include <algorithm>

#include "nodes/fusion/small_numbers.h"
#include "shader/diagnose.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

class Walk {
public:
    Walk(const Module& module, size_t limit) : m_module(module), m_limit(limit) {}

    Result<std::vector<Leaf>> run(Id type)
    {
        if (!visit(type, 0, {}))
            return Diagnostic{"fuse", shader::describe(m_module, type), m_why};
        return std::move(m_leaves);
    }

private:
    // How a matrix lies in the member that it is part of.
    struct Matrix {
        uint32_t stride = 0;
        bool rowMajor = false;
    };

    bool fail(const char* why)
    {
        m_why = why;
        return false;
    }

    bool visitPart(uint32_t index, Id type, uint32_t offset, const Matrix& matrix)
    {
        m_path.push_back(index);
        const bool done = visit(type, offset, matrix);
        m_path.pop_back();
        return done;
    }

    bool visit(Id type, uint32_t offset, const Matrix& matrix)
    {
        const Instruction* t = m_module.findDefinition(type);
        if (!t)
            return fail("a type that is not known");
        switch (t->op) {
            case spv::Op::OpTypeInt:
            case spv::Op::OpTypeFloat:
                return addLeaf(type, t->literal(0), offset);
            case spv::Op::OpTypePointer:
                return static_cast<spv::StorageClass>(t->literal(0)) == spv::StorageClass::PhysicalStorageBuffer
                           ? addLeaf(type, 64, offset)
                           : fail("a pointer that is no address");
            case spv::Op::OpTypeVector:
                return visitVector(*t, offset, matrix.stride);
            case spv::Op::OpTypeMatrix:
                return visitMatrix(*t, offset, matrix);
            case spv::Op::OpTypeArray:
                return visitArray(*t, offset, matrix);
            case spv::Op::OpTypeStruct:
                return visitStructure(*t, offset);
            default:
                return fail("a type that cannot be copied by its parts");
        }
    }

    bool addLeaf(Id type, uint32_t bits, uint32_t offset)
    {
        if (m_leaves.size() == m_limit)
            return fail("too much to copy by its parts");
        const Instruction& t = *m_module.findDefinition(type);
        m_leaves.push_back({offset, bits, t.op == spv::Op::OpTypeFloat, isInBuffersOnly(m_module, t), type, m_path});
        return true;
    }

    // `step`: between components, 0 if they follow each other.
    bool visitVector(const Instruction& t, uint32_t offset, uint32_t step)
    {
        const uint32_t bytes = m_module.findDefinition(t.id(0))->literal(0) / 8;
        for (uint32_t c = 0; c < t.literal(1); ++c)
            if (!visitPart(c, t.id(0), offset + c * (step != 0 ? step : bytes), {}))
                return false;
        return true;
    }

    bool visitMatrix(const Instruction& t, uint32_t offset, const Matrix& matrix)
    {
        const Instruction* column = m_module.findDefinition(t.id(0));
        const Instruction* scalar = m_module.findDefinition(column->id(0));
        if (isInBuffersOnly(m_module, *scalar))
            return fail("a matrix of numbers that the module may have in buffers only");
        const uint32_t bytes = scalar->literal(0) / 8;
        for (uint32_t c = 0; c < t.literal(1); ++c) {
            const uint32_t at = offset + c * (matrix.rowMajor ? bytes : matrix.stride);
            if (!visitPart(c, t.id(0), at, {matrix.rowMajor ? matrix.stride : 0, false}))
                return false;
        }
        return matrix.stride != 0 || fail("a matrix without a stride");
    }

    bool visitArray(const Instruction& t, uint32_t offset, const Matrix& matrix)
    {
        uint32_t length = 0;
        const Instruction* stride = m_module.findDecoration(t.result, spv::Decoration::ArrayStride);
        if (!stride || !m_module.constantValue(t.id(1), length))
            return fail("an array without a stride or of unknown length");
        const uint32_t step = stride->literal(2);
        for (uint32_t i = 0; i < length; ++i)
            if (!visitPart(i, t.id(0), offset + i * step, matrix))
                return false;
        return true;
    }

    bool visitStructure(const Instruction& t, uint32_t offset)
    {
        for (uint32_t m = 0; m < t.operandCount(); ++m) {
            const Instruction* at = m_module.findMemberDecoration(t.result, m, spv::Decoration::Offset);
            const Instruction* stride = m_module.findMemberDecoration(t.result, m, spv::Decoration::MatrixStride);
            const bool rowMajor = m_module.findMemberDecoration(t.result, m, spv::Decoration::RowMajor) != nullptr;
            if (!at)
                return fail("a structure without offsets");
            if (!visitPart(m, t.id(m), offset + at->literal(3), {stride ? stride->literal(3) : 0, rowMajor}))
                return false;
        }
        return true;
    }

    const Module& m_module;
    const size_t m_limit;
    const char* m_why = "";
    std::vector<uint32_t> m_path;
    std::vector<Leaf> m_leaves;
};

bool isPointer(const Module& module, Id type)
{
    return module.findDefinition(type)->op == spv::Op::OpTypePointer;
}

bool isSmall(const Leaf& leaf)
{
    return leaf.bits < 32;
}

// Of the memory that the leaf is in.
Id typeIn(Module& module, const Leaf& leaf, spv::StorageClass storage)
{
    const bool isVariable = storage == spv::StorageClass::Private || storage == spv::StorageClass::Workgroup;
    return leaf.isWidened && isVariable ? widened(module, leaf.type) : leaf.type;
}

Id pointerTo(Emitter& out, const Leaf& leaf, Id base, spv::StorageClass storage, std::span<const Id> before)
{
    Module& module = out.module();
    const Id type = module.getPointerType(storage, typeIn(module, leaf, storage));
    Instruction chain = spirv::instruction(spv::Op::OpAccessChain, type, module.newId()).add(base);
    for (const Id index : before)
        chain.add(index);
    for (const uint32_t index : leaf.path)
        chain.add(module.getConstant(index));
    const Id result = chain.result;
    out.keep(std::move(chain));
    return result;
}

// One of them is leafTypeInCalls(), the other typeIn().
Id convert(Emitter& out, const Leaf& leaf, Id value, Id from, Id to)
{
    if (from == to)
        return value;
    if (isSmall(leaf))
        return withWidth(out, value, from, to);
    const auto op = isPointer(out.module(), from) ? spv::Op::OpConvertPtrToU
                    : isPointer(out.module(), to) ? spv::Op::OpConvertUToPtr
                                                  : spv::Op::OpBitcast;
    return out.emit(op, to, {value});
}

}  // namespace

Result<std::vector<Leaf>> leavesOf(const Module& module, Id type, size_t limit)
{
    return Walk(module, limit).run(type);
}

const Leaf* findLeaf(std::span<const Leaf> leaves, const Leaf& like)
{
    const auto found = std::ranges::find_if(leaves, [&](const Leaf& leaf) {
        return leaf.offsetBytes == like.offsetBytes && leaf.bits == like.bits &&
               (!isSmall(leaf) || leaf.isFloat == like.isFloat);
    });
    return found == leaves.end() ? nullptr : &*found;
}

Id leafTypeInCalls(Module& module, const Leaf& leaf)
{
    const uint32_t bits = leaf.isWidened ? 32 : leaf.bits;
    const bool isFloat = isSmall(leaf) && leaf.isFloat;
    if (isFloat && bits == 16)
        module.addCapability(spv::Capability::Float16);
    if (!isFloat && bits != 32) {
        module.addCapability(bits == 8    ? spv::Capability::Int8
                             : bits == 16 ? spv::Capability::Int16
                                          : spv::Capability::Int64);
    }
    return isFloat ? module.getFloatType(bits) : module.getIntType(bits, false);
}

Id loadLeaf(Emitter& out, const Leaf& leaf, Id base, spv::StorageClass storage, std::span<const Id> before)
{
    const Id type = typeIn(out.module(), leaf, storage);
    const Id value = out.emit(spv::Op::OpLoad, type, {pointerTo(out, leaf, base, storage, before)});
    return convert(out, leaf, value, type, leafTypeInCalls(out.module(), leaf));
}

void storeLeaf(Emitter& out, const Leaf& leaf, Id base, spv::StorageClass storage, Id value, std::span<const Id> before)
{
    const Id type = typeIn(out.module(), leaf, storage);
    value = convert(out, leaf, value, leafTypeInCalls(out.module(), leaf), type);
    out.emitVoid(spv::Op::OpStore, {pointerTo(out, leaf, base, storage, before), value});
}

Id passLeaf(Emitter& out, const Leaf& own, const Leaf& wanted, Id value)
{
    return convert(out, own, value, leafTypeInCalls(out.module(), own), leafTypeInCalls(out.module(), wanted));
}

}  // namespace millrace::nodes
