// SPDX-License-Identifier: Apache-2.0
#include "commands/interface_slots.h"

#include <algorithm>

#include "commands/interface_locations.h"

namespace millrace::commands {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint32_t kComponents = 4;  // of a location

}  // namespace

Slots::Slots(const Variant& stage, spv::StorageClass storage, uint32_t mostElements)
    : m_module(stage.module), m_mostElements(mostElements), m_taken(size_t{kSlotsEnd} * kComponents)
{
    for (const Instruction& i : m_module.section(spirv::Section::Globals))
        if (i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(storage))
            addVariable(stage, i);
}

bool Slots::contains(const Slots& others) const
{
    for (size_t i = 0; i < m_taken.size(); ++i)
        if (others.m_taken[i] && !m_taken[i])
            return false;
    return true;
}

void Slots::addVariable(const Variant& stage, const Instruction& variable)
{
    Id type = m_module.pointee(variable.type);
    if (isPerVertex(stage, variable))
        type = m_module.findDefinition(type)->id(0);
    const Instruction* location = m_module.findDecoration(variable.result, spv::Decoration::Location);
    const Instruction* definition = m_module.findDefinition(type);
    if (definition && definition->op == spv::Op::OpTypeStruct) {
        addMembers(*definition, location ? location->literal(2) : kSlotsEnd);
    } else if (location) {
        const Instruction* component = m_module.findDecoration(variable.result, spv::Decoration::Component);
        add(type, location->literal(2), component ? component->literal(2) : 0);
    }
}

// Those without a location follow the one in front of them. Built-ins have none.
void Slots::addMembers(const Instruction& block, uint32_t location)
{
    for (uint32_t m = 0; m < block.operandCount(); ++m) {
        if (const Instruction* own = m_module.findMemberDecoration(block.result, m, spv::Decoration::Location))
            location = own->literal(3);
        const Instruction* component = m_module.findMemberDecoration(block.result, m, spv::Decoration::Component);
        location = add(block.id(m), location, component ? component->literal(3) : 0);
    }
}

// Specification of Vulkan, "Location Assignment" and "Component Assignment". The location behind it.
uint32_t Slots::add(Id type, uint32_t location, uint32_t component)
{
    const Instruction* definition = m_module.findDefinition(type);
    if (!definition || location >= kSlotsEnd)
        return location;
    switch (definition->op) {
        case spv::Op::OpTypeVector:
            return addWords(definition->literal(1) * words(definition->id(0)), location, component);
        case spv::Op::OpTypeMatrix:
            return addElements(definition->id(0), definition->literal(1), location, component);
        case spv::Op::OpTypeArray: {
            uint32_t length = 0;
            const bool isKnown =
                m_module.isConstant(definition->id(1)) && m_module.constantValue(definition->id(1), length);
            return addElements(definition->id(0), isKnown ? length : m_mostElements, location, component);
        }
        case spv::Op::OpTypeStruct:
            for (size_t m = 0; m < definition->operandCount(); ++m)
                location = add(definition->id(m), location, 0);
            return location;
        default:
            return addWords(words(type), location, component);
    }
}

uint32_t Slots::addElements(Id element, uint32_t count, uint32_t location, uint32_t component)
{
    for (uint32_t i = 0; i < count && location < kSlotsEnd; ++i) {
        const uint32_t next = add(element, location, component);
        if (next == location)
            break;  // of nothing, however many
        location = next;
    }
    return location;
}

uint32_t Slots::words(Id scalar) const
{
    const Instruction* definition = m_module.findDefinition(scalar);
    const bool isNumber =
        definition && (definition->op == spv::Op::OpTypeInt || definition->op == spv::Op::OpTypeFloat);
    return isNumber && definition->literal(0) == 64 ? 2 : 1;
}

uint32_t Slots::addWords(uint32_t count, uint32_t location, uint32_t component)
{
    const size_t first = size_t{location} * kComponents + component;
    for (size_t i = first; i < std::min(first + count, m_taken.size()); ++i) {
        m_overlap = m_overlap || m_taken[i];
        m_taken[i] = true;
    }
    return location + std::max(1u, (component + count + kComponents - 1) / kComponents);
}

}  // namespace millrace::commands
