// SPDX-License-Identifier: Apache-2.0
#include "commands/places.h"

#include <algorithm>

#include "commands/sources.h"

namespace millrace::commands {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// Of a module whose structures nest deeper than anybody writes.
constexpr size_t kMaxDepth = 64;

uint64_t addUpTo(uint64_t a, uint64_t b)
{
    return a == kNoEnd || b == kNoEnd ? kNoEnd : a + b;
}

}  // namespace

uint32_t Places::arrayStride(Id type) const
{
    return m_decorations.arrayStride(type).value_or(0);
}

uint32_t Places::scalarBits(Id type) const
{
    const Instruction* definition = m_module.findDefinition(type);
    if (definition && (definition->op == spv::Op::OpTypeInt || definition->op == spv::Op::OpTypeFloat))
        return definition->literal(0);
    return m_module.storageOf(type) == spv::StorageClass::PhysicalStorageBuffer ? 64 : 0;
}

// The value of a specialization constant is not known.
bool Places::knownIndex(Id index, uint32_t& value) const
{
    const Instruction* definition = m_module.findDefinition(index);
    if (definition && definition->op == spv::Op::OpConstant && definition->words.size() == 2) {
        value = definition->words[0];
        return definition->words[1] == 0;
    }
    return m_module.isConstant(index) && m_module.constantValue(index, value);
}

bool Places::enterMember(Place& place, const Instruction& type, Id index) const
{
    uint32_t number = 0;
    if (!knownIndex(index, number) || number >= type.operandCount())
        return false;
    const shader::MemberLayout& member = m_decorations.member(type.result, number);
    if (!member.offset)
        return false;
    place.offsetBytes += *member.offset;
    place.matrixStride = member.matrixStride;
    place.isRowMajor = member.isRowMajor;
    place.type = type.id(number);
    return true;
}

// `count`: 0 if nobody knows.
void Places::step(Place& place, Id index, uint32_t strideBytes, uint32_t count) const
{
    uint32_t number = 0;
    if (knownIndex(index, number)) {
        place.offsetBytes += uint64_t{number} * strideBytes;
        return;
    }
    place.steps.push_back({index, strideBytes});
    place.spanBytes = addUpTo(place.spanBytes, count == 0 ? kNoEnd : uint64_t{count - 1} * strideBytes);
}

Place Places::part(const Place& whole, Id index) const
{
    Place place = whole;
    place.indices.push_back(index);
    const Instruction* type = m_module.findDefinition(whole.type);
    const uint32_t count = partCount(whole);
    const auto fail = [] { return Place{.type = {}, .indices = {}, .steps = {}}; };
    switch (type ? type->op : spv::Op::OpNop) {
        case spv::Op::OpTypeStruct:
            return enterMember(place, *type, index) ? place : fail();
        case spv::Op::OpTypeArray: {
            const uint32_t stride = arrayStride(type->result);
            if (stride == 0)
                return fail();
            place.type = type->id(0);
            step(place, index, stride, count);
            return place;
        }
        case spv::Op::OpTypeMatrix: {
            place.type = type->id(0);
            const uint32_t scalar = scalarBits(m_module.findDefinition(place.type)->id(0)) / 8;
            if (whole.matrixStride == 0)
                return fail();
            step(place, index, whole.isRowMajor ? scalar : whole.matrixStride, count);
            place.componentStride = whole.isRowMajor ? whole.matrixStride : scalar;
            return place;
        }
        case spv::Op::OpTypeVector: {
            place.type = type->id(0);
            const uint32_t scalar = scalarBits(place.type) / 8;
            step(place, index, whole.componentStride != 0 ? whole.componentStride : scalar, count);
            return place;
        }
        default:
            return fail();
    }
}

uint32_t Places::partCount(const Place& place) const
{
    const Instruction* type = m_module.findDefinition(place.type);
    switch (type ? type->op : spv::Op::OpNop) {
        case spv::Op::OpTypeStruct:
            return static_cast<uint32_t>(type->operandCount());
        case spv::Op::OpTypeMatrix:
        case spv::Op::OpTypeVector:
            return type->literal(1);
        case spv::Op::OpTypeArray: {
            uint32_t length = 0;
            return knownIndex(type->id(1), length) ? length : 0;
        }
        default:
            return 0;
    }
}

uint64_t Places::bytes(const Place& place) const
{
    return place.indices.size() > kMaxDepth ? kNoEnd : bytesOf(place.type, place);
}

// `place` is about the member that a matrix is in, or the column that a vector is.
uint64_t Places::bytesOf(Id typeId, const Place& place) const
{
    const Instruction* type = m_module.findDefinition(typeId);
    switch (type ? type->op : spv::Op::OpNop) {
        case spv::Op::OpTypeStruct:
            return structureBytes(*type);
        case spv::Op::OpTypeArray: {
            uint32_t length = 0;
            if (!knownIndex(type->id(1), length) || length == 0)
                return kNoEnd;
            return addUpTo(uint64_t{length - 1} * arrayStride(typeId), bytesOf(type->id(0), place));
        }
        case spv::Op::OpTypeMatrix: {
            const Instruction* column = m_module.findDefinition(type->id(0));
            const uint32_t scalar = scalarBits(column->id(0)) / 8;
            const uint32_t vectors = place.isRowMajor ? column->literal(1) : type->literal(1);
            const uint32_t components = place.isRowMajor ? type->literal(1) : column->literal(1);
            return uint64_t{vectors - 1} * place.matrixStride + uint64_t{components} * scalar;
        }
        case spv::Op::OpTypeVector: {
            const uint32_t scalar = scalarBits(type->id(0)) / 8;
            const uint32_t stride = place.componentStride != 0 ? place.componentStride : scalar;
            return uint64_t{type->literal(1) - 1} * stride + scalar;
        }
        default: {
            const uint32_t bits = scalarBits(typeId);
            return bits == 0 ? kNoEnd : bits / 8;
        }
    }
}

uint64_t Places::structureBytes(const Instruction& type) const
{
    uint64_t end = 0;
    for (uint32_t m = 0; m < type.operandCount(); ++m) {
        const shader::MemberLayout& member = m_decorations.member(type.result, m);
        if (!member.offset)
            return kNoEnd;
        const Place inside{.type = type.id(m),
                           .indices = {},
                           .steps = {},
                           .matrixStride = member.matrixStride,
                           .isRowMajor = member.isRowMajor};
        end = std::max(end, addUpTo(*member.offset, bytesOf(type.id(m), inside)));
    }
    return end;
}

}  // namespace millrace::commands
