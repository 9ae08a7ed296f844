// SPDX-License-Identifier: Apache-2.0
#include "compiler/fusion/leaves.h"

#include <algorithm>

#include "compiler/diagnose.h"

namespace millrace::compiler {

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
        if (!visit(type, 0, {})) {
            return Diagnostic{"fuse", describe(m_module, type), m_why};
        }
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
        if (!t) {
            return fail("a type that is not known");
        }
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
        if (bits != 32 && bits != 64) {
            return fail("a number of other than 32 or 64 bits");
        }
        if (m_leaves.size() == m_limit) {
            return fail("too much to copy by its parts");
        }
        m_leaves.push_back({offset, bits, type, m_path});
        return true;
    }

    // `step`: between components, 0 if they follow each other.
    bool visitVector(const Instruction& t, uint32_t offset, uint32_t step)
    {
        const uint32_t bytes = m_module.findDefinition(t.id(0))->literal(0) / 8;
        for (uint32_t c = 0; c < t.literal(1); c++) {
            if (!visitPart(c, t.id(0), offset + c * (step != 0 ? step : bytes), {})) {
                return false;
            }
        }
        return true;
    }

    bool visitMatrix(const Instruction& t, uint32_t offset, const Matrix& matrix)
    {
        const Instruction* column = m_module.findDefinition(t.id(0));
        const uint32_t bytes = m_module.findDefinition(column->id(0))->literal(0) / 8;
        for (uint32_t c = 0; c < t.literal(1); c++) {
            const uint32_t at = offset + c * (matrix.rowMajor ? bytes : matrix.stride);
            if (!visitPart(c, t.id(0), at, {matrix.rowMajor ? matrix.stride : 0, false})) {
                return false;
            }
        }
        return matrix.stride != 0 || fail("a matrix without a stride");
    }

    bool visitArray(const Instruction& t, uint32_t offset, const Matrix& matrix)
    {
        uint32_t length = 0;
        const Instruction* stride = m_module.findDecoration(t.result, spv::Decoration::ArrayStride);
        if (!stride || !m_module.constantValue(t.id(1), length)) {
            return fail("an array without a stride or of unknown length");
        }
        const uint32_t step = stride->literal(2);
        for (uint32_t i = 0; i < length; i++) {
            if (!visitPart(i, t.id(0), offset + i * step, matrix)) {
                return false;
            }
        }
        return true;
    }

    bool visitStructure(const Instruction& t, uint32_t offset)
    {
        for (uint32_t m = 0; m < t.operandCount(); m++) {
            const Instruction* at = m_module.findMemberDecoration(t.result, m, spv::Decoration::Offset);
            const Instruction* stride = m_module.findMemberDecoration(t.result, m, spv::Decoration::MatrixStride);
            const bool rowMajor = m_module.findMemberDecoration(t.result, m, spv::Decoration::RowMajor) != nullptr;
            if (!at) {
                return fail("a structure without offsets");
            }
            if (!visitPart(m, t.id(m), offset + at->literal(3), {stride ? stride->literal(3) : 0, rowMajor})) {
                return false;
            }
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

Id pointerTo(Emitter& out, const Leaf& leaf, Id base, spv::StorageClass storage, std::span<const Id> before)
{
    Module& module = out.module();
    const Id type = module.getPointerType(storage, leaf.type);
    Instruction chain = spirv::instruction(spv::Op::OpAccessChain, type, module.newId()).add(base);
    for (const Id index : before) {
        chain.add(index);
    }
    for (const uint32_t index : leaf.path) {
        chain.add(module.getConstant(index));
    }
    const Id result = chain.result;
    out.keep(std::move(chain));
    return result;
}

}  // namespace

Result<std::vector<Leaf>> leavesOf(const Module& module, Id type, size_t limit)
{
    return Walk(module, limit).run(type);
}

const Leaf* findLeaf(std::span<const Leaf> leaves, const Leaf& like)
{
    const auto found = std::ranges::find_if(
        leaves, [&](const Leaf& leaf) { return leaf.offsetBytes == like.offsetBytes && leaf.bits == like.bits; });
    return found == leaves.end() ? nullptr : &*found;
}

Id leafTypeInCalls(Module& module, const Leaf& leaf)
{
    if (leaf.bits == 64) {
        module.addCapability(spv::Capability::Int64);
    }
    return module.getIntType(leaf.bits, false);
}

Id loadLeaf(Emitter& out, const Leaf& leaf, Id base, spv::StorageClass storage, std::span<const Id> before)
{
    const Id value = out.emit(spv::Op::OpLoad, leaf.type, {pointerTo(out, leaf, base, storage, before)});
    const Id type = leafTypeInCalls(out.module(), leaf);
    if (type == leaf.type) {
        return value;
    }
    const auto op = isPointer(out.module(), leaf.type) ? spv::Op::OpConvertPtrToU : spv::Op::OpBitcast;
    return out.emit(op, type, {value});
}

void storeLeaf(Emitter& out, const Leaf& leaf, Id base, spv::StorageClass storage, Id value, std::span<const Id> before)
{
    if (leafTypeInCalls(out.module(), leaf) != leaf.type) {
        const auto op = isPointer(out.module(), leaf.type) ? spv::Op::OpConvertUToPtr : spv::Op::OpBitcast;
        value = out.emit(op, leaf.type, {value});
    }
    out.emitVoid(spv::Op::OpStore, {pointerTo(out, leaf, base, storage, before), value});
}

}  // namespace millrace::compiler
