// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/descent.h"

#include "nodes/fusion/entry.h"
#include "shader/globals.h"
#include "shader/pointers.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;

namespace {

constexpr auto kPrivate = spv::StorageClass::Private;
constexpr auto kPayload = spv::StorageClass::NodePayloadAMDX;
// More, and the way in 32 bits would end at the wrong place.
constexpr uint64_t kMaxWays = 65536;
// More payloads than this are in memory when one is taken, not in registers.
constexpr uint32_t kMaxSelected = 8;

}  // namespace

uint32_t countWays(uint32_t fanOut, uint32_t levels)
{
    uint64_t ways = 1;
    for (uint32_t level = 0; level < levels && ways <= kMaxWays; ++level)
        ways *= fanOut;
    return ways <= kMaxWays ? static_cast<uint32_t>(ways) : UINT32_MAX;
}

// A little more than the quotient, so that what is cut off leaves the child right.
uint32_t stepOfWays(uint32_t ways)
{
    return static_cast<uint32_t>(((uint64_t{1} << 32) + ways - 1) / ways);
}

bool Descent::lower()
{
    const std::optional<HeldInput> item = holdInput(m_shader, m_memory, m_failure);
    if (!item)
        return false;
    m_item = *item;
    const Id pointer = m_module.getPointerType(kPrivate, m_module.getIntType(32, false));
    m_way = m_module.createVariable(pointer, kPrivate);
    m_module.setName(m_way, "way");
    if (!freeWorkgroupId())
        return false;
    m_builtIn = shader::findBuiltIn(m_module, spv::BuiltIn::RemainingRecursionLevelsAMDX);
    if (!m_builtIn)
        return true;
    m_remaining = m_module.createVariable(pointer, kPrivate);
    m_module.setName(m_remaining, "remaining_recursion");
    return holdRemaining(m_shader, m_remaining, m_failure);
}

// To the node, which is the only workgroup of its payload, it is 0.
bool Descent::freeWorkgroupId()
{
    while (const Id variable = shader::findBuiltIn(m_module, spv::BuiltIn::WorkgroupId)) {
        m_module.removeDecorations(
            [&](const Instruction& i) { return i.op == spv::Op::OpDecorate && i.id(0) == variable; });
        if (!shader::changeStorage(m_module, variable, kPrivate, m_failure))
            return false;
        m_workgroupIds.push_back(variable);
    }
    return true;
}

void Descent::write(shader::FunctionWriter& writer, const KeptOutput& kept)
{
    if (!checkLayouts(kept))
        return;
    const auto starts = takeInitializers(m_module, kPrivate);
    start(writer);
    const auto level = [&](Id) {
        for (const auto& [variable, value] : starts)
            writer.out().emitVoid(spv::Op::OpStore, {variable, value});
        writer.out().call(m_shader.entry, m_module.getVoidType(), {});
        take(writer, kept);
    };
    if (m_levels == 1)
        level({});
    else
        writer.forEach(m_module.getConstant(m_levels), level);
}

bool Descent::checkLayouts(const KeptOutput& kept)
{
    for (const Leaf& leaf : m_item.leaves) {
        if (!findLeaf(kept.leaves, leaf)) {
            return m_failure.at("payload", "it sends no member of " + std::to_string(leaf.bits) + " bits at offset " +
                                               std::to_string(leaf.offsetBytes));
        }
    }
    return true;
}

void Descent::start(shader::FunctionWriter& writer)
{
    const Id uintType = m_module.getIntType(32, false);
    const Id uint3Type = m_module.getVectorType(uintType, 3);
    for (const Id variable : m_workgroupIds) {
        const Id null = shader::getNull(m_module, m_module.pointee(m_module.typeOf(variable)));
        writer.out().emitVoid(spv::Op::OpStore, {variable, null});
    }
    const Id workgroup = shader::getBuiltInVariable(m_module, spv::BuiltIn::WorkgroupId, uint3Type);
    Emitter out = writer.out();
    const Id id = out.emit(spv::Op::OpLoad, uint3Type, {workgroup});
    const Id part = m_module.newId();
    out.keep(spirv::instruction(spv::Op::OpCompositeExtract, uintType, part).add(id).add(0u));
    const Id step = m_module.getConstant(stepOfWays(countWays(m_fanOut, m_levels)));
    const Id way = out.emit(spv::Op::OpIMul, uintType, {part, step});
    out.emitVoid(spv::Op::OpStore, {m_way, way});
    if (m_remaining) {
        const Id type = m_module.pointee(m_module.typeOf(m_builtIn));
        const Id loaded = out.emit(spv::Op::OpLoad, type, {m_builtIn});
        const Id remaining = type == uintType ? loaded : out.emit(spv::Op::OpBitcast, uintType, {loaded});
        out.emitVoid(spv::Op::OpStore, {m_remaining, remaining});
    }
    const std::vector<Id> first(m_item.isArray ? 1 : 0, m_module.getConstant(0));
    for (const Leaf& leaf : m_item.leaves)
        storeLeaf(out, leaf, m_item.variable, kPrivate, loadLeaf(out, leaf, m_shader.input, kPayload, first));
}

// The child on the way is the next payload.
void Descent::take(shader::FunctionWriter& writer, const KeptOutput& kept)
{
    load(writer, kept, nextChild(writer));
    if (!m_remaining)
        return;
    const Id uintType = m_module.getIntType(32, false);
    Emitter out = writer.out();
    const Id remaining = out.emit(spv::Op::OpLoad, uintType, {m_remaining});
    const Id less = out.emit(spv::Op::OpISub, uintType, {remaining, m_module.getConstant(1)});
    out.emitVoid(spv::Op::OpStore, {m_remaining, less});
}

Id Descent::nextChild(shader::FunctionWriter& writer)
{
    const Id uintType = m_module.getIntType(32, false);
    const Id pairType = m_module.newId();
    m_module.section(spirv::Section::Globals)
        .push_back(spirv::instruction(spv::Op::OpTypeStruct, {}, pairType).add(uintType).add(uintType));
    Emitter out = writer.out();
    const Id way = out.emit(spv::Op::OpLoad, uintType, {m_way});
    const Id both = out.emit(spv::Op::OpUMulExtended, pairType, {way, m_module.getConstant(m_fanOut)});
    Id half[2];
    for (uint32_t i = 0; i < 2; ++i) {
        half[i] = m_module.newId();
        out.keep(spirv::instruction(spv::Op::OpCompositeExtract, uintType, half[i]).add(both).add(i));
    }
    out.emitVoid(spv::Op::OpStore, {m_way, half[0]});
    return half[1];
}

void Descent::load(shader::FunctionWriter& writer, const KeptOutput& kept, Id child)
{
    Emitter out = writer.out();
    const auto loadFrom = [&](const Leaf& leaf, Id place) {
        return loadLeaf(out, *findLeaf(kept.leaves, leaf), kept.payloads, kPrivate, {{place}});
    };
    if (m_fanOut > kMaxSelected) {
        for (const Leaf& leaf : m_item.leaves)
            storeLeaf(out, leaf, m_item.variable, kPrivate, loadFrom(leaf, child));
        return;
    }
    std::vector<Id> isChild;
    for (uint32_t i = 1; i < m_fanOut; ++i)
        isChild.push_back(out.emit(spv::Op::OpIEqual, m_module.getBoolType(), {child, m_module.getConstant(i)}));
    for (const Leaf& leaf : m_item.leaves) {
        Id value = loadFrom(leaf, m_module.getConstant(0));
        for (uint32_t i = 1; i < m_fanOut; ++i) {
            const Id other = loadFrom(leaf, m_module.getConstant(i));
            value = out.emit(spv::Op::OpSelect, leafTypeInCalls(m_module, leaf), {isChild[i - 1], other, value});
        }
        storeLeaf(out, leaf, m_item.variable, kPrivate, value);
    }
}

}  // namespace millrace::nodes
