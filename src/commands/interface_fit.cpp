// SPDX-License-Identifier: Apache-2.0
// Whether the shaders of a draw may be together: what one reads, the one in front of it has to declare.
#include <algorithm>
#include <vector>

#include "commands/interface_locations.h"
#include "commands/shader_variants.h"
#include "commands/variant.h"

namespace millrace::commands {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint32_t kComponents = 4;  // of a location
constexpr uint32_t kEnd = 4096;      // of locations, more than any device has

// The words of locations that variables of one storage class take.
class Slots {
public:
    // `mostElements`: of an array whose length is a specialization constant.
    Slots(const Variant& stage, spv::StorageClass storage, uint32_t mostElements)
        : m_module(stage.module), m_mostElements(mostElements), m_taken(size_t{kEnd} * kComponents)
    {
        for (const Instruction& i : m_module.section(spirv::Section::Globals)) {
            if (i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(storage))
                addVariable(stage, i);
        }
    }

    bool contains(const Slots& others) const
    {
        for (size_t i = 0; i < m_taken.size(); ++i) {
            if (others.m_taken[i] && !m_taken[i])
                return false;
        }
        return true;
    }

private:
    void addVariable(const Variant& stage, const Instruction& variable)
    {
        Id type = m_module.pointee(variable.type);
        if (isPerVertex(stage, variable))
            type = m_module.findDefinition(type)->id(0);
        const Instruction* location = m_module.findDecoration(variable.result, spv::Decoration::Location);
        const Instruction* definition = m_module.findDefinition(type);
        if (definition && definition->op == spv::Op::OpTypeStruct) {
            addMembers(*definition, location ? location->literal(2) : kEnd);
        } else if (location) {
            const Instruction* component = m_module.findDecoration(variable.result, spv::Decoration::Component);
            add(type, location->literal(2), component ? component->literal(2) : 0);
        }
    }

    // Those without a location follow the one in front of them. Built-ins have none.
    void addMembers(const Instruction& block, uint32_t location)
    {
        for (uint32_t m = 0; m < block.operandCount(); ++m) {
            if (const Instruction* own = m_module.findMemberDecoration(block.result, m, spv::Decoration::Location))
                location = own->literal(3);
            const Instruction* component = m_module.findMemberDecoration(block.result, m, spv::Decoration::Component);
            location = add(block.id(m), location, component ? component->literal(3) : 0);
        }
    }

    // Specification of Vulkan, "Location Assignment" and "Component Assignment". The location behind it.
    uint32_t add(Id type, uint32_t location, uint32_t component)
    {
        const Instruction* definition = m_module.findDefinition(type);
        if (!definition || location >= kEnd)
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

    uint32_t addElements(Id element, uint32_t count, uint32_t location, uint32_t component)
    {
        for (uint32_t i = 0; i < count && location < kEnd; ++i) {
            const uint32_t next = add(element, location, component);
            if (next == location)
                break;  // of nothing, however many
            location = next;
        }
        return location;
    }

    uint32_t words(Id scalar) const
    {
        const Instruction* definition = m_module.findDefinition(scalar);
        const bool isNumber =
            definition && (definition->op == spv::Op::OpTypeInt || definition->op == spv::Op::OpTypeFloat);
        return isNumber && definition->literal(0) == 64 ? 2 : 1;
    }

    uint32_t addWords(uint32_t count, uint32_t location, uint32_t component)
    {
        const size_t first = size_t{location} * kComponents + component;
        for (size_t i = first; i < std::min(first + count, m_taken.size()); ++i)
            m_taken[i] = true;
        return location + std::max(1u, (component + count + kComponents - 1) / kComponents);
    }

    const Module& m_module;
    const uint32_t m_mostElements;
    std::vector<bool> m_taken;
};

// Outputs that may be there count, and inputs that must be.
bool feeds(const Variant& from, const Variant& to)
{
    return Slots(from, spv::StorageClass::Output, kEnd).contains(Slots(to, spv::StorageClass::Input, 1));
}

}  // namespace

bool fitTogether(const std::vector<StageCode>& stages)
{
    std::vector<Variant> read;
    for (const StageCode& code : stages) {
        auto stage = readStage(code.words, code.entryPoint, code.model);
        if (!stage)
            return true;  // whoever makes a variant of it says why that cannot be
        read.push_back(std::move(*stage));
    }
    std::ranges::sort(read, {}, [](const Variant& stage) { return rankOf(stage.model); });
    for (size_t i = 1; i < read.size(); ++i) {
        if (!feeds(read[i - 1], read[i]))
            return false;
    }
    return true;
}

}  // namespace millrace::commands
