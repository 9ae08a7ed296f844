// SPDX-License-Identifier: Apache-2.0
// Not done with SPIRV-Tools' passes: nothing inside functions may change here, whatever extension it comes from.
#include "spirv/entry_points.h"

#include <algorithm>

#include "spirv/edit.h"

namespace millrace::spirv {

namespace {

constexpr uint32_t kVersionOfWholeInterfaces = 0x00010400;

// What an entry point may need without a use that could be followed.
constexpr Section kWhole[] = {Section::Capabilities, Section::Extensions,   Section::ExtInstImports,
                              Section::MemoryModel,  Section::DebugStrings, Section::DebugModules};
// What stays with the ids that it says something of, or defines.
constexpr Section kByIds[] = {Section::ExecutionModes, Section::DebugNames, Section::Annotations, Section::Globals};

bool isInputPayload(const Instruction& i)
{
    return i.op == spv::Op::OpVariable &&
           static_cast<spv::StorageClass>(i.literal(0)) == spv::StorageClass::NodePayloadAMDX;
}

bool appliesGroup(const Instruction& i)
{
    return i.op == spv::Op::OpGroupDecorate || i.op == spv::Op::OpGroupMemberDecorate;
}

// None: it stays in any case.
Id ownerOf(const Instruction& i, bool isDefinition)
{
    if (i.result)
        return i.result;
    const bool hasTarget = !isDefinition || i.op == spv::Op::OpTypeForwardPointer;
    return hasTarget && i.operandCount() > 0 && i.isId(0) ? i.id(0) : Id();
}

}  // namespace

EntryPoints::EntryPoints(const Module& module) : m_module(module), m_index(module)
{
    for (const Instruction& i : module.section(Section::EntryPoints))
        m_byName[{static_cast<spv::ExecutionModel>(i.literal(0)), i.string(2)}].push_back(&i);
    for (size_t f = 0; f < module.functions.size(); ++f)
        m_functions.emplace(module.functions[f].id().value, f);
    findPlaces();
    findInputs();
}

const InstructionList& EntryPoints::listOf(uint32_t list) const
{
    return list == kTrailing ? m_module.trailing : m_module.sections[list];
}

void EntryPoints::findPlaces()
{
    const auto add = [this](uint32_t list, bool isDefinition) {
        for (uint32_t n = 0; n < listOf(list).size(); ++n) {
            const Id owner = ownerOf(listOf(list)[n], isDefinition);
            if (owner)
                m_places.push_back({owner.value, list, n});
            else
                m_always[list].push_back(n);
        }
    };
    for (const Section section : kByIds)
        add(static_cast<uint32_t>(section), section == Section::Globals);
    add(kTrailing, true);
    std::ranges::sort(m_places, {}, &Place::id);
}

std::span<const EntryPoints::Place> EntryPoints::placesOf(Id id) const
{
    const auto [begin, end] = std::ranges::equal_range(m_places, id.value, {}, &Place::id);
    return {begin, end};
}

void EntryPoints::findInputs()
{
    Reach ofCode(m_index);
    for (const Instruction& entryPoint : m_module.section(Section::EntryPoints))
        ofCode.add(entryPoint.id(1));
    for (const Instruction& i : m_module.section(Section::Globals)) {
        if (!isInputPayload(i))
            continue;
        m_isInputRead.emplace(i.result.value, ofCode.contains(i.result));
        if (!ofCode.contains(i.result))
            m_unreadInputs.push_back(i.result);
    }
}

std::vector<const Instruction*> EntryPoints::find(std::string_view name, spv::ExecutionModel model) const
{
    const auto found = m_byName.find(std::pair(model, std::string(name)));
    return found == m_byName.end() ? std::vector<const Instruction*>() : found->second;
}

// An entry point has one input, which it need not read; but some modules list those of others as well, which only the
// code of others reads.
Instruction EntryPoints::withOneInput(const Instruction& entryPoint, const Reach& ofOwn) const
{
    Instruction kept =
        instruction(entryPoint.op).add(entryPoint.literal(0)).add(entryPoint.id(1)).add(entryPoint.string(2));
    bool hasInput = false;
    for (size_t o = 3; o < entryPoint.operandCount(); ++o) {
        const Id variable = entryPoint.id(o);
        const auto input = m_isInputRead.find(variable.value);
        const bool isInput = input != m_isInputRead.end();
        if (isInput && input->second && !ofOwn.contains(variable))
            continue;
        kept.add(variable);
        hasInput |= isInput;
    }
    return hasInput ? kept : entryPoint;
}

Reach EntryPoints::reachOf(const Instruction& own, const Instruction& kept) const
{
    Reach reach(m_index);
    reach.addUses(kept);
    for (const Place& place : placesOf(own.id(1)))
        if (place.list == static_cast<uint32_t>(Section::ExecutionModes))
            reach.addUses(listOf(place.list)[place.index]);
    // Before SPIR-V 1.4 interfaces list no payloads. One that no code reads is declared for the entry point all the
    // same.
    if (m_module.version < kVersionOfWholeInterfaces)
        for (const Id input : m_unreadInputs)
            reach.add(input);
    reach.addWorkgroupSize();
    reach.addDescriptions();
    return reach;
}

// In the order of the module.
EntryPoints::Places EntryPoints::placesOf(const Reach& reach) const
{
    Places out = m_always;
    for (const Id id : reach.all())
        for (const Place& place : placesOf(id))
            out[place.list].push_back(place.index);
    for (std::vector<uint32_t>& list : out)
        std::ranges::sort(list);
    return out;
}

Module EntryPoints::copyOf(const Reach& reach, const Instruction& entryPoint) const
{
    Module out;
    out.version = m_module.version;
    out.generator = m_module.generator;
    out.bound = m_module.bound;
    for (const Section section : kWhole)
        out.section(section) = m_module.section(section);
    out.section(Section::EntryPoints) = {entryPoint};
    const Places places = placesOf(reach);
    const auto copy = [&](uint32_t list, InstructionList& to) {
        to.reserve(places[list].size());
        for (const uint32_t n : places[list])
            to.push_back(listOf(list)[n]);
    };
    for (const Section section : kByIds)
        copy(static_cast<uint32_t>(section), out.section(section));
    copy(kTrailing, out.trailing);
    for (Instruction& i : out.section(Section::Annotations))
        if (appliesGroup(i))
            keepTargets(i, [&](Id id) { return reach.contains(id); });
    std::vector<size_t> functions;
    for (const Id id : reach.all())
        if (const auto found = m_functions.find(id.value); found != m_functions.end())
            functions.push_back(found->second);
    std::ranges::sort(functions);
    out.functions.reserve(functions.size());
    for (const size_t f : functions)
        out.functions.push_back(m_module.functions[f]);
    return out;
}

Result<Module> EntryPoints::extract(std::string_view name, spv::ExecutionModel model) const
{
    const std::vector<const Instruction*> found = find(name, model);
    if (found.size() != 1) {
        const std::string kind = model == spv::ExecutionModel::GLCompute ? "compute " : "";
        return Diagnostic{"spirv", {}, "not exactly one " + kind + "entry point \"" + std::string(name) + "\""};
    }
    const Instruction& own = *found.front();
    Instruction kept = own;
    if (m_module.section(Section::EntryPoints).size() > 1) {
        Reach ofOwn(m_index);
        ofOwn.add(own.id(1));
        kept = withOneInput(own, ofOwn);
    }
    const Reach reach = reachOf(own, kept);
    return copyOf(reach, kept);
}

Status extractEntryPoint(Module& module, std::string_view name, spv::ExecutionModel model)
{
    Result<Module> extracted = EntryPoints(module).extract(name, model);
    if (!extracted)
        return extracted.error();
    module = std::move(*extracted);
    return {};
}

}  // namespace millrace::spirv
