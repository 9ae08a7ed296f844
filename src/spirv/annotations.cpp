// SPDX-License-Identifier: Apache-2.0
// Capabilities, extensions, names and decorations.
#include <algorithm>

#include "spirv/module.h"

namespace millrace::spirv {

namespace {

bool isDecoration(const Instruction& i)
{
    return i.op == spv::Op::OpDecorate || i.op == spv::Op::OpDecorateId || i.op == spv::Op::OpDecorateString;
}

bool isMemberDecoration(const Instruction& i)
{
    return i.op == spv::Op::OpMemberDecorate || i.op == spv::Op::OpMemberDecorateString;
}

void addOnce(InstructionList& list, Instruction i)
{
    const bool there =
        std::ranges::any_of(list, [&](const Instruction& other) { return other.op == i.op && other.words == i.words; });
    if (!there)
        list.push_back(std::move(i));
}

}  // namespace

void Module::addCapability(spv::Capability capability)
{
    addOnce(section(Section::Capabilities), instruction(spv::Op::OpCapability).add(static_cast<uint32_t>(capability)));
}

void Module::removeCapability(spv::Capability capability)
{
    std::erase_if(section(Section::Capabilities), [&](const Instruction& i) {
        return i.op == spv::Op::OpCapability && i.literal(0) == static_cast<uint32_t>(capability);
    });
}

bool Module::hasCapability(spv::Capability capability) const
{
    return std::ranges::any_of(section(Section::Capabilities), [&](const Instruction& i) {
        return i.op == spv::Op::OpCapability && i.literal(0) == static_cast<uint32_t>(capability);
    });
}

void Module::addExtension(std::string_view name)
{
    addOnce(section(Section::Extensions), instruction(spv::Op::OpExtension).add(name));
}

void Module::removeExtension(std::string_view name)
{
    std::erase_if(section(Section::Extensions),
                  [&](const Instruction& i) { return i.op == spv::Op::OpExtension && i.string(0) == name; });
}

void Module::setName(Id id, std::string_view name)
{
    std::erase_if(section(Section::DebugNames),
                  [&](const Instruction& i) { return i.op == spv::Op::OpName && i.id(0) == id; });
    section(Section::DebugNames).push_back(instruction(spv::Op::OpName).add(id).add(name));
}

std::string Module::name(Id id) const
{
    for (const Instruction& i : section(Section::DebugNames))
        if (i.op == spv::Op::OpName && i.id(0) == id)
            return i.string(1);
    return {};
}

void Module::decorate(Id id, spv::Decoration decoration, std::span<const uint32_t> literals)
{
    Instruction i = instruction(spv::Op::OpDecorate).add(id).add(static_cast<uint32_t>(decoration));
    for (const uint32_t literal : literals)
        i.add(literal);
    addOnce(section(Section::Annotations), std::move(i));
}

void Module::decorateMember(Id type, uint32_t member, spv::Decoration decoration, std::span<const uint32_t> literals)
{
    Instruction i = instruction(spv::Op::OpMemberDecorate).add(type).add(member).add(static_cast<uint32_t>(decoration));
    for (const uint32_t literal : literals)
        i.add(literal);
    addOnce(section(Section::Annotations), std::move(i));
}

const Instruction* Module::findDecoration(Id id, spv::Decoration decoration) const
{
    for (const Instruction& i : section(Section::Annotations))
        if (isDecoration(i) && i.id(0) == id && i.literal(1) == static_cast<uint32_t>(decoration))
            return &i;
    return nullptr;
}

const Instruction* Module::findMemberDecoration(Id type, uint32_t member, spv::Decoration decoration) const
{
    for (const Instruction& i : section(Section::Annotations))
        if (isMemberDecoration(i) && i.id(0) == type && i.literal(1) == member &&
            i.literal(2) == static_cast<uint32_t>(decoration))
            return &i;
    return nullptr;
}

void Module::removeDecorations(const std::function<bool(const Instruction&)>& which)
{
    std::erase_if(section(Section::Annotations), which);
}

}  // namespace millrace::spirv
