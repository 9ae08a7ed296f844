// SPDX-License-Identifier: Apache-2.0
// Buffers of words: raw and structured buffers, constant buffers, counters, atomics.
#include <algorithm>
#include <array>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::instruction;

Id Emitter::byteOffset(const Handle& handle, const Value* index, const Value* offset)
{
    if (handle.resource.kind != ResourceKind::StructuredBuffer)
        return getUint(index);
    const Id begin = m_b.mul(getUint(index), handle.resource.strideBytes);
    return offset->isUndef() ? begin : m_b.add(begin, getUint(offset));
}

uint32_t Emitter::bufferBytes(const Type& type, bool minPrecision)
{
    return type.bits == 16 && minPrecision ? 4 : std::max(type.bits, 16u) / 8;
}

Id Emitter::loadWord(const Handle& handle, Id wordIndex)
{
    Id type;
    const Id pointer = elementPointer(handle, View::Words32, wordIndex, type);
    return loadThrough(handle, type, pointer);
}

Id Emitter::loadElement(const Handle& handle, const Type& type, Id offset, uint32_t extra)
{
    const uint32_t bytes = bufferBytes(type, m_ir.minPrecision);
    const Id to = scalarType(type);
    if (bytes == 2) {
        Id from;
        const Id index = m_b.shiftRight(m_b.add(offset, m_b.uintConstant(extra)), 1);
        const Id pointer = elementPointer(handle, View::Words16, index, from);
        return m_b.bitcast(to, loadThrough(handle, from, pointer), from);
    }
    const Id word = m_b.add(m_b.shiftRight(offset, 2), m_b.uintConstant(extra / 4));
    const Id low = loadWord(handle, word);
    if (bytes == 4)
        return m_b.bitcast(to, low, m_b.uintType());
    const std::array<Id, 2> words = {low, loadWord(handle, m_b.add(word, m_b.uintConstant(1)))};
    return m_b.emit(spv::Op::OpBitcast, to, {m_b.construct(m_b.vectorType(m_b.uintType(), 2), words)});
}

void Emitter::storeElement(const Handle& handle, const Type& type, Id offset, uint32_t extra, Id value)
{
    const uint32_t bytes = bufferBytes(type, m_ir.minPrecision);
    const Id from = scalarType(type);
    Id to;
    if (bytes == 2) {
        const Id index = m_b.shiftRight(m_b.add(offset, m_b.uintConstant(extra)), 1);
        const Id pointer = elementPointer(handle, View::Words16, index, to);
        storeThrough(handle, to, pointer, m_b.bitcast(to, value, from));
        return;
    }
    const Id word = m_b.add(m_b.shiftRight(offset, 2), m_b.uintConstant(extra / 4));
    if (bytes == 4) {
        const Id pointer = elementPointer(handle, View::Words32, word, to);
        storeThrough(handle, to, pointer, m_b.bitcast(to, value, from));
        return;
    }
    const Id pair = m_b.emit(spv::Op::OpBitcast, m_b.vectorType(m_b.uintType(), 2), {value});
    for (uint32_t half = 0; half < 2; ++half) {
        const Id pointer = elementPointer(handle, View::Words32, m_b.add(word, m_b.uintConstant(half)), to);
        storeThrough(handle, to, pointer, m_b.extract(to, pair, half));
    }
}

// Only the fields that somebody reads: the others may lie behind the end of the buffer.
void Emitter::loadFields(const Value& call, const Handle& handle, Id offset)
{
    const Type& result = *call.type;
    const uint32_t used = m_usedFields[&call];
    Val out;
    for (uint32_t f = 0; f + 1 < result.members.size(); ++f) {
        const Type& type = *result.members[f];
        const bool isUsed = (used >> f & 1) != 0;
        out.fields.push_back(isUsed ? Val(loadElement(handle, type, offset, f * bufferBytes(type, m_ir.minPrecision)))
                                    : undef(type));
    }
    // Residency: buffers that are storage buffers are always resident.
    out.fields.emplace_back(m_b.uintConstant(1));
    set(call, std::move(out));
}

void Emitter::storeFields(const Value& call, const Handle& handle, Id offset, size_t firstValue, uint32_t mask)
{
    for (uint32_t f = 0; f < 4; ++f) {
        const Value* value = call.operands[firstValue + f];
        if ((mask >> f & 1) != 0)
            storeElement(handle, *value->type, offset, f * bufferBytes(*value->type, m_ir.minPrecision), getId(value));
    }
}

void Emitter::opRawBufferLoad(const Value& call)
{
    if (const auto handle = getHandle(call.operands[1]))
        loadFields(call, *handle, byteOffset(*handle, call.operands[2], call.operands[3]));
}

void Emitter::opRawBufferStore(const Value& call)
{
    if (const auto handle = getHandle(call.operands[1])) {
        storeFields(call, *handle, byteOffset(*handle, call.operands[2], call.operands[3]), 4,
                    static_cast<uint32_t>(constantOf(call.operands[8]).value_or(0)));
    }
}

void Emitter::opBufferLoad(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (handle && handle->resource.kind == ResourceKind::TypedBuffer)
        typedBufferLoad(call, *handle);
    else if (handle)
        loadFields(call, *handle, byteOffset(*handle, call.operands[2], call.operands[3]));
}

void Emitter::opBufferStore(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (handle && handle->resource.kind == ResourceKind::TypedBuffer) {
        typedBufferStore(call, *handle);
    } else if (handle) {
        storeFields(call, *handle, byteOffset(*handle, call.operands[2], call.operands[3]), 4,
                    static_cast<uint32_t>(constantOf(call.operands[8]).value_or(0)));
    }
}

void Emitter::opRawBufferVectorLoad(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Type& vector = *call.type->members.at(0);
    const Type& type = vector.scalar();
    const Id offset = byteOffset(*handle, call.operands[2], call.operands[3]);
    std::vector<Id> elements;
    for (uint32_t e = 0; e < (vector.isVector() ? vector.count : 1); ++e)
        elements.push_back(loadElement(*handle, type, offset, e * bufferBytes(type, m_ir.minPrecision)));
    Val out;
    out.fields.push_back(assemble(vector, elements));
    out.fields.emplace_back(m_b.uintConstant(1));
    set(call, std::move(out));
}

void Emitter::opRawBufferVectorStore(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Type& vector = *call.operands[4]->type;
    const Type& type = vector.scalar();
    const Val value = get(call.operands[4]);
    const Id offset = byteOffset(*handle, call.operands[2], call.operands[3]);
    for (uint32_t e = 0; e < (vector.isVector() ? vector.count : 1); ++e)
        storeElement(*handle, type, offset, e * bufferBytes(type, m_ir.minPrecision), element(vector, value, e));
}

Id Emitter::constantWord(const Handle& handle, Id row, uint32_t column)
{
    if (handle.place.kind == Place::Kind::Constants) {
        const uint32_t first = handle.place.offsetBytes / 4 + column;
        return rootWord(handle.place, m_b.add(m_b.mul(row, 4), m_b.uintConstant(first)));
    }
    Id type;
    const Id pointer = elementPointer(handle, View::Constants, row, type);
    return m_b.extract(m_b.uintType(), loadThrough(handle, type, pointer), column);
}

// A row of 16 bytes as 4, 8 or 2 values.
void Emitter::opCBufferLoadLegacy(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Id row = getUint(call.operands[2]);
    const uint32_t used = m_usedFields[&call];
    const uint32_t bytes = 16 / std::max<uint32_t>(1, static_cast<uint32_t>(call.type->members.size()));
    Val out;
    for (uint32_t f = 0; f < call.type->members.size(); ++f) {
        const Type& type = *call.type->members[f];
        const Id to = scalarType(type);
        if ((used >> f & 1) == 0) {
            out.fields.push_back(undef(type));
            continue;
        }
        const Id word = constantWord(*handle, row, f * bytes / 4);
        if (bytes == 8) {
            const std::array<Id, 2> words = {word, constantWord(*handle, row, 2 * f + 1)};
            const Id pair = m_b.construct(m_b.vectorType(m_b.uintType(), 2), words);
            out.fields.emplace_back(m_b.emit(spv::Op::OpBitcast, to, {pair}));
        } else if (bytes == 2) {
            const Id half = m_b.intType(16);
            const Id pair = m_b.emit(spv::Op::OpBitcast, m_b.vectorType(half, 2), {word});
            out.fields.emplace_back(m_b.bitcast(to, m_b.extract(half, pair, f % 2), half));
        } else {
            out.fields.emplace_back(m_b.bitcast(to, word, m_b.uintType()));
        }
    }
    set(call, std::move(out));
}

// One value at a byte offset.
void Emitter::opCBufferLoad(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Type& type = *call.type;
    const Id offset = getUint(call.operands[2]);
    const Id row = m_b.shiftRight(offset, 4);
    const auto wordAt = [&](uint32_t extra) {
        if (handle->place.kind == Place::Kind::Constants)
            return rootWord(handle->place, m_b.add(m_b.shiftRight(offset, 2),
                                                   m_b.uintConstant(handle->place.offsetBytes / 4 + extra)));
        Id rowType;
        const Id pointer = elementPointer(*handle, View::Constants, row, rowType);
        const Id column = m_b.emit(spv::Op::OpBitwiseAnd, m_b.uintType(),
                                   {m_b.add(m_b.shiftRight(offset, 2), m_b.uintConstant(extra)), m_b.uintConstant(3)});
        return m_b.emit(spv::Op::OpVectorExtractDynamic, m_b.uintType(),
                        {loadThrough(*handle, rowType, pointer), column});
    };
    if (type.isVector()) {
        unsupported("a load of " + type.text() + " from a constant buffer");
    } else if (bufferBytes(type, m_ir.minPrecision) == 2) {
        const Id half = m_b.intType(16);
        const Id bit = m_b.emit(spv::Op::OpBitwiseAnd, m_b.uintType(), {m_b.mul(offset, 8), m_b.uintConstant(16)});
        const Id word = m_b.emit(spv::Op::OpShiftRightLogical, m_b.uintType(), {wordAt(0), bit});
        set(call, m_b.bitcast(scalarType(type), m_b.emit(spv::Op::OpUConvert, half, {word}), half));
    } else if (type.bits == 64) {
        const std::array<Id, 2> words = {wordAt(0), wordAt(1)};
        const Id pair = m_b.construct(m_b.vectorType(m_b.uintType(), 2), words);
        set(call, m_b.emit(spv::Op::OpBitcast, scalarType(type), {pair}));
    } else {
        set(call, m_b.bitcast(scalarType(type), wordAt(0), m_b.uintType()));
    }
}

// Atomic operations on resources have their coordinates in operands 2 to 4, or 3 to 5 with an operation in front.
Id Emitter::resourceAtomicPointer(const Value& call, Id& type)
{
    const auto handle = getHandle(call.operands[1]);
    const uint32_t bits = call.type->bits;
    type = m_b.intType(bits);
    if (!handle)
        return Id{1};
    const size_t first = constantOf(call.operands[0]) == opcode::AtomicBinOp ? 3 : 2;
    const ResourceKind kind = handle->resource.kind;
    if (bits == 64)
        m_b.capability(spv::Capability::Int64Atomics);
    if (kind == ResourceKind::RawBuffer || kind == ResourceKind::StructuredBuffer) {
        const Id offset = byteOffset(*handle, call.operands[first], call.operands[first + 1]);
        return elementPointer(*handle, bits == 64 ? View::Words64 : View::Words32,
                              m_b.shiftRight(offset, bits == 64 ? 3 : 2), type);
    }
    // Resources of 64-bit integers may be declared as pairs of 32-bit ones.
    const bool isPair = bits == 64 && m_b.bitsOf(texelType(handle->resource)) != 64;
    type = isPair ? m_b.intType(64) : texelType(handle->resource);
    spv::StorageClass storage = spv::StorageClass::UniformConstant;
    Id image;
    const Id pointer = descriptorPointer(*handle, isPair ? View::ImageAtomic64 : View::ImageAtomic, storage, image);
    const uint32_t count = std::min(3u, coordinateCount(kind));
    const Id coordinates = vectorOf(m_b.vectorType(m_b.uintType(), count), call, first, count);
    const Id texel = m_b.emit(spv::Op::OpImageTexelPointer, m_b.pointerType(spv::StorageClass::Image, type),
                              {pointer, coordinates, m_b.uintConstant(0)});
    nonUniform(*handle, texel);
    return texel;
}

void Emitter::opAtomicBinOp(const Value& call)
{
    static constexpr std::array<spv::Op, 9> kOps = {
        spv::Op::OpAtomicIAdd, spv::Op::OpAtomicAnd,  spv::Op::OpAtomicOr,
        spv::Op::OpAtomicXor,  spv::Op::OpAtomicSMin, spv::Op::OpAtomicSMax,
        spv::Op::OpAtomicUMin, spv::Op::OpAtomicUMax, spv::Op::OpAtomicExchange};
    const uint64_t op = constantOf(call.operands[2]).value_or(99);
    if (op >= kOps.size()) {
        unsupported("atomic operation " + std::to_string(op));
        return;
    }
    Id type;
    const Id pointer = resourceAtomicPointer(call, type);
    const Id own = scalarType(*call.type);
    if (m_b.bitsOf(own) != m_b.bitsOf(type)) {
        unsupported("a 32-bit atomic operation on a resource of 64-bit integers");
        return;
    }
    if (m_b.isFloat(type) && kOps[static_cast<size_t>(op)] != spv::Op::OpAtomicExchange) {
        unsupported("an atomic operation on a texture of floats that is no exchange");
        return;
    }
    const Id value = m_b.bitcast(type, getId(call.operands[6]), own);
    const Id old =
        m_b.emit(kOps[static_cast<size_t>(op)], type,
                 {pointer, m_b.uintConstant(static_cast<uint32_t>(spv::Scope::Device)), m_b.uintConstant(0), value});
    set(call, m_b.bitcast(own, old, type));
}

void Emitter::opAtomicCompareExchange(const Value& call)
{
    Id type;
    const Id pointer = resourceAtomicPointer(call, type);
    const Id own = scalarType(*call.type);
    if (m_b.isFloat(type)) {
        unsupported("an atomic comparison in a texture of floats");
        return;
    }
    const Id relaxed = m_b.uintConstant(0);
    const Id expected = m_b.bitcast(type, getId(call.operands[5]), own);
    const Id value = m_b.bitcast(type, getId(call.operands[6]), own);
    const Id old = m_b.emit(
        spv::Op::OpAtomicCompareExchange, type,
        {pointer, m_b.uintConstant(static_cast<uint32_t>(spv::Scope::Device)), relaxed, relaxed, value, expected});
    set(call, m_b.bitcast(own, old, type));
}

// An increment gives the value before, a decrement the value after.
void Emitter::opBufferUpdateCounter(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    Id type;
    const Id pointer = elementPointer(*handle, View::Counter, {}, type);
    const bool increments = static_cast<int8_t>(constantOf(call.operands[2]).value_or(1)) > 0;
    const Id one = m_b.uintConstant(1);
    const Id old =
        m_b.emit(increments ? spv::Op::OpAtomicIAdd : spv::Op::OpAtomicISub, type,
                 {pointer, m_b.uintConstant(static_cast<uint32_t>(spv::Scope::Device)), m_b.uintConstant(0), one});
    set(call, increments ? old : m_b.emit(spv::Op::OpISub, type, {old, one}));
}

void Emitter::opCheckAccessFullyMapped(const Value& call)
{
    set(call, m_b.emit(spv::Op::OpINotEqual, m_b.boolType(), {getId(call.operands[1]), m_b.uintConstant(0)}));
}

void Emitter::opGetDimensions(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const ResourceKind kind = handle->resource.kind;
    if (kind != ResourceKind::RawBuffer && kind != ResourceKind::StructuredBuffer) {
        set(call, imageDimensions(*handle, call.operands[2]));
        return;
    }
    if (handle->place.kind != Place::Kind::Descriptor) {
        unsupported("the size of a root descriptor, which has none");
        return;
    }
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    Id pointee;
    const Id buffer = descriptorPointer(*handle, View::Words32, storage, pointee);
    const Id number = m_b.uintType();
    Id size = m_b.emit(instruction(spv::Op::OpArrayLength, number).add(buffer).add(0u));
    size = m_b.emit(spv::Op::OpIMul, number, {size, m_b.uintConstant(4)});
    const uint32_t stride = handle->resource.strideBytes;
    if (kind == ResourceKind::StructuredBuffer && stride > 0)
        size = m_b.emit(spv::Op::OpUDiv, number, {size, m_b.uintConstant(stride)});
    Val out;
    out.fields = {Val(size), Val(m_b.uintConstant(stride)), Val(m_b.uintConstant(0)), Val(m_b.uintConstant(0))};
    set(call, std::move(out));
}

}  // namespace millrace::dxil
