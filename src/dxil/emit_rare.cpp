// SPDX-License-Identifier: Apache-2.0
// Operations that few programs have: positions of samples, registers of converted DXBC, clocks, helper lanes.
#include <algorithm>
#include <array>
#include <bit>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::instruction;

namespace {

// Direct3D's standard patterns of 1, 2, 4, 8 and 16 samples one after the other, in sixteenths of a texel from its
// centre. Vulkan's standard sample locations are the same.
constexpr std::array<std::array<int, 2>, 31> kSamplePositions = {{
    {0, 0},                                                                       // 1
    {4, 4},   {-4, -4},                                                           // 2
    {-2, -6}, {6, -2},  {-6, 2},  {2, 6},                                         // 4
    {1, -3},  {-1, 3},  {5, 1},   {-3, -5}, {-5, 5},  {-7, -1}, {3, 7}, {7, -7},  // 8
    {1, 1},   {-1, -3}, {-3, 2},  {4, -1},  {-5, -2}, {2, 5},   {5, 3}, {3, -5},  // 16
    {-2, 6},  {0, -7},  {-4, -6}, {-6, 4},  {-8, 0},  {7, -4},  {6, 7}, {-7, -8},
}};

}  // namespace

// Of a sample of so many: a row of the table above, the one of a single sample where there is none.
Val Emitter::samplePosition(Id count, Id index)
{
    const Id number = m_b.uintType();
    const Id pair = m_b.vectorType(m_b.floatType(32), 2);
    const Id table = m_b.arrayType(pair, static_cast<uint32_t>(kSamplePositions.size()));
    if (!m_samplePositions) {
        std::vector<Id> rows;
        for (const auto& position : kSamplePositions) {
            std::vector<Id> parts;
            for (const int sixteenths : position) {
                parts.push_back(
                    m_b.constant(m_b.floatType(32), std::bit_cast<uint32_t>(static_cast<float>(sixteenths) / 16)));
            }
            rows.push_back(m_b.composite(pair, parts));
        }
        m_samplePositions = m_b.variable(spv::StorageClass::Private, table, m_b.composite(table, rows));
    }
    // Those of n samples begin at n - 1.
    const Id last = m_b.emit(spv::Op::OpISub, number, {count, m_b.uintConstant(1)});
    const Id isKnown = m_b.emit(spv::Op::OpULessThan, m_b.boolType(), {index, count});
    const Id isPattern = m_b.emit(spv::Op::OpULessThan, m_b.boolType(), {last, m_b.uintConstant(16)});
    const Id at = m_b.emit(spv::Op::OpSelect, number,
                           {m_b.emit(spv::Op::OpLogicalAnd, m_b.boolType(), {isKnown, isPattern}),
                            m_b.emit(spv::Op::OpIAdd, number, {last, index}), m_b.uintConstant(0)});
    const Id place =
        m_b.emit(spv::Op::OpAccessChain, m_b.pointerType(spv::StorageClass::Private, pair), {m_samplePositions, at});
    const Id position = m_b.load(pair, place);
    Val out;
    out.fields.emplace_back(m_b.extract(m_b.floatType(32), position, 0));
    out.fields.emplace_back(m_b.extract(m_b.floatType(32), position, 1));
    return out;
}

void Emitter::opSamplePosition(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const bool isMultisampled =
        handle->resource.kind == ResourceKind::Texture2DMS || handle->resource.kind == ResourceKind::Texture2DMSArray;
    if (!isMultisampled) {
        unsupported("positions of samples of " + describe(handle->resource));
        return;
    }
    m_b.capability(spv::Capability::ImageQuery);
    Id type;
    const Id image = loadImage(*handle, View::Image, type);
    const Id count = m_b.emit(spv::Op::OpImageQuerySamples, m_b.uintType(), {image});
    set(call, samplePosition(count, getUint(call.operands[2])));
}

// Registers have 32 bits and no type.
void Emitter::opTempRegister(const Value& call)
{
    const auto index = constantOf(call.operands[1]);
    if (!index) {
        unsupported("a register whose number is not constant");
        return;
    }
    const bool isLoad = opcodeOf(call) == opcode::TempRegLoad;
    const Type& type = isLoad ? *call.type : *call.operands[2]->type;
    if (type.isVector() || type.isAggregate()) {
        unsupported("a register of " + type.text());
        return;
    }
    const Id word = m_b.uintType();
    Id& variable = m_tempRegisters[*index];
    if (!variable) {
        variable = m_b.variable(spv::StorageClass::Private, word);
        m_b.name(variable, "r" + std::to_string(*index));
    }
    const Id own = scalarType(type);
    const uint32_t bits = m_b.bitsOf(own);
    const Id number = m_b.intType(bits == 0 ? 32 : bits);
    if (isLoad) {
        const Id value = m_b.load(word, variable);
        set(call, m_b.bitcast(own, bits == 16 ? m_b.emit(spv::Op::OpUConvert, number, {value}) : value, number));
        return;
    }
    const Id value = m_b.bitcast(number, getId(call.operands[2]), own);
    m_b.store(variable, bits == 16 ? m_b.emit(spv::Op::OpUConvert, word, {value}) : value);
}

// Four components an indexable register, each an element of the array that the pointer leads to. Its elements have 32
// bits, which are those of min-precision types here.
void Emitter::opMinPrecisionRegister(const Value& call)
{
    const bool isLoad = opcodeOf(call) == opcode::MinPrecXRegLoad;
    const Type& type = isLoad ? *call.type : *call.operands[4]->type;
    const Val base = get(call.operands[1]);
    const auto component = constantOf(call.operands[3]);
    if (!base.pointer || (component && *component > 3)) {
        unsupported(base.pointer ? "component " + std::to_string(*component) + " of a register"
                                 : "a register in what is no variable");
        return;
    }
    Pointer slot = descend(*base.pointer, &type);
    const auto isArray = [](const Type* within) { return within->isArray(); };
    if (type.isVector() || std::ranges::count_if(slot.within, isArray) != 1 || !isArray(slot.within.back())) {
        unsupported("a register of " + type.text() + " in " + base.pointer->type->text());
        return;
    }
    const Id element = m_b.add(m_b.mul(getUint(call.operands[2]), 4), getUint(call.operands[3]));
    slot.indices.back() = m_b.add(slot.indices.back(), element);
    if (isLoad)
        set(call, loadFrom(std::move(slot), type));
    else
        storeTo(std::move(slot), type, get(call.operands[4]));
}

void Emitter::opCycleCounter(const Value& call)
{
    m_b.capability(spv::Capability::ShaderClockKHR);
    m_b.extension("SPV_KHR_shader_clock");
    const Id pair = m_b.vectorType(m_b.uintType(), 2);
    const Id clock = m_b.emit(spv::Op::OpReadClockKHR, pair, {subgroup()});
    Val out;
    out.fields.emplace_back(m_b.extract(m_b.uintType(), clock, 0));
    out.fields.emplace_back(m_b.extract(m_b.uintType(), clock, 1));
    set(call, std::move(out));
}

// Only pixel shaders have them. The built-in may change, so it is read where it is asked for.
void Emitter::opIsHelperLane(const Value& call)
{
    if (m_entry.kind != ShaderKind::Pixel) {
        set(call, m_b.boolConstant(false));
        return;
    }
    Id& variable = m_helperInvocation;
    if (!variable) {
        variable = m_b.variable(spv::StorageClass::Input, m_b.boolType());
        m_b.decorate(variable, spv::Decoration::BuiltIn, {static_cast<uint32_t>(spv::BuiltIn::HelperInvocation)});
    }
    set(call, m_b.load(m_b.boolType(), variable, spv::MemoryAccessMask::Volatile));
}

// What the draw began with, which D3D12 does not add to the numbers of vertices and instances.
void Emitter::opDrawStart(const Value& call)
{
    m_b.capability(spv::Capability::DrawParameters);
    set(call,
        builtIn(opcodeOf(call) == opcode::StartVertexLocation ? spv::BuiltIn::BaseVertex : spv::BuiltIn::BaseInstance,
                m_b.uintType()));
}

}  // namespace millrace::dxil
