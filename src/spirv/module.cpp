// SPDX-License-Identifier: Apache-2.0
// Finding definitions and walking all of a module.
#include "spirv/module.h"

#include <algorithm>
#include <unordered_set>

namespace millrace::spirv {

// Null if the list no longer holds `id` there. A label has no instruction; isLabel says that it is where it was.
const Instruction* Module::at(const Location& location, Id id, bool& isLabel) const
{
    const auto element = [&](const InstructionList& list) {
        const bool holds = location.index < list.size() && list[location.index].result == id;
        return holds ? &list[location.index] : nullptr;
    };
    if (location.kind == Location::InSection)
        return element(sections[location.list]);
    if (location.kind == Location::Trailing)
        return element(trailing);
    if (location.list >= functions.size())
        return nullptr;
    const Function& function = functions[location.list];
    if (location.kind == Location::Definition)
        return function.definition.result == id ? &function.definition : nullptr;
    if (location.kind == Location::Parameter)
        return element(function.parameters);
    if (location.block >= function.blocks.size())
        return nullptr;
    if (location.kind == Location::Label) {
        isLabel = function.blocks[location.block].label == id;
        return nullptr;
    }
    return element(function.blocks[location.block].body);
}

void Module::index(Id id, const Location& location) const
{
    m_locations.push_back(location);
    m_index.at(id.value) = static_cast<uint32_t>(m_locations.size());
}

void Module::index(const InstructionList& list, Location::Kind kind, uint32_t number, uint32_t block, size_t from) const
{
    for (size_t i = from; i < list.size(); ++i)
        if (list[i].result)
            index(list[i].result, {kind, number, block, static_cast<uint32_t>(i)});
}

void Module::buildIndex() const
{
    m_index.clear();
    m_locations.clear();
    for (uint32_t s = 0; s < kSectionCount; ++s)
        index(sections[s], Location::InSection, s, 0);
    m_indexedGlobals = section(Section::Globals).size();
    for (uint32_t f = 0; f < functions.size(); ++f) {
        const Function& function = functions[f];
        index(function.id(), {Location::Definition, f, 0, 0});
        index(function.parameters, Location::Parameter, f, 0);
        for (uint32_t b = 0; b < function.blocks.size(); ++b) {
            index(function.blocks[b].label, {Location::Label, f, b, 0});
            index(function.blocks[b].body, Location::InBody, f, b);
        }
    }
    index(trailing, Location::Trailing, 0, 0);
}

const Instruction* Module::findDefinition(Id id) const
{
    if (!id)
        return nullptr;
    bool isLabel = false;
    const auto lookUp = [&]() -> const Instruction* {
        const uint32_t known = m_index.get(id.value);
        return known == 0 ? nullptr : at(m_locations[known - 1], id, isLabel);
    };
    const Instruction* found = lookUp();
    if (found || isLabel)
        return found;
    // Most new definitions are globals at the end.
    const InstructionList& globals = section(Section::Globals);
    if (globals.size() > m_indexedGlobals) {
        index(globals, Location::InSection, static_cast<uint32_t>(Section::Globals), 0, m_indexedGlobals);
        m_indexedGlobals = globals.size();
        found = lookUp();
        if (found)
            return found;
    }
    buildIndex();
    return lookUp();
}

Instruction* Module::findDefinition(Id id)
{
    return const_cast<Instruction*>(std::as_const(*this).findDefinition(id));
}

const Function* Module::findFunction(Id id) const
{
    if (!id)
        return nullptr;
    // Does not build the index, which it is asked for too seldom for. Passes ask for definitions all the time.
    if (const uint32_t known = m_index.get(id.value)) {
        const Location& location = m_locations[known - 1];
        const bool isThere = location.kind == Location::Definition && location.list < functions.size();
        if (isThere && functions[location.list].id() == id)
            return &functions[location.list];
    }
    const auto found = std::ranges::find(functions, id, &Function::id);
    return found != functions.end() ? &*found : nullptr;
}

Function* Module::findFunction(Id id)
{
    return const_cast<Function*>(std::as_const(*this).findFunction(id));
}

template <typename M, typename Visit>
void Module::traverse(M& module, const Visit& visit)
{
    const auto visitAll = [&](auto& list) {
        for (auto& i : list)
            visit(i);
    };
    for (auto& list : module.sections)
        visitAll(list);
    for (auto& function : module.functions) {
        visitAll(function.before);
        visit(function.definition);
        auto loose = function.beforeParameter.begin();
        for (size_t p = 0; p < function.parameters.size(); ++p) {
            for (; loose != function.beforeParameter.end() && loose->first <= p; ++loose)
                visit(loose->second);
            visit(function.parameters[p]);
        }
        for (auto& block : function.blocks) {
            visitAll(block.before);
            Instruction label = instruction(spv::Op::OpLabel, {}, block.label);
            visit(label);
            if constexpr (!std::is_const_v<M>)
                block.label = label.result;
            visitAll(block.body);
        }
        visitAll(function.after);
    }
    visitAll(module.trailing);
}

void Module::forEachInstruction(const std::function<void(Instruction&)>& visit)
{
    traverse(*this, visit);
}

void Module::forEachInstruction(const std::function<void(const Instruction&)>& visit) const
{
    traverse(*this, visit);
}

void Module::replaceUses(const std::unordered_map<uint32_t, uint32_t>& map)
{
    std::unordered_set<uint32_t> values;
    for (const auto& [from, to] : map)
        values.insert(to);
    forEachInstruction([&](Instruction& i) {
        i.forEachUse([&](Id& id) {
            const auto found = map.find(id.value);
            if (found != map.end())
                id.value = found->second;
        });
    });
    // What the value had already is there twice now. Of two names the first stays.
    const auto removeDuplicates = [&](Section where, bool compareOperands) {
        InstructionList& list = section(where);
        InstructionList kept;
        kept.reserve(list.size());
        for (Instruction& i : list) {
            const bool concerned = i.operandCount() > 0 && i.isId(0) && values.contains(i.id(0).value);
            const bool repeated =
                concerned && std::ranges::any_of(kept, [&](const Instruction& other) {
                    const bool sameTarget = other.op == i.op && other.result == i.result && !other.words.empty() &&
                                            other.words[0] == i.words[0];
                    return sameTarget && (compareOperands ? other.words == i.words : i.op == spv::Op::OpName);
                });
            if (!repeated)
                kept.push_back(std::move(i));
        }
        list = std::move(kept);
    };
    removeDuplicates(Section::DebugNames, false);
    removeDuplicates(Section::Annotations, true);
}

}  // namespace millrace::spirv
