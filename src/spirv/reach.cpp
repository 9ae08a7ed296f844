// SPDX-License-Identifier: Apache-2.0
#include "spirv/reach.h"

namespace millrace::spirv {

ReachIndex::ReachIndex(const Module& module)
{
    const auto define = [this](const InstructionList& list) {
        for (const Instruction& i : list)
            if (i.result)
                m_definitions.at(i.result.value) = &i;
    };
    for (const InstructionList& list : module.sections)
        define(list);
    define(module.trailing);
    for (const Function& function : module.functions)
        m_functions[function.id().value] = &function;
    for (const Instruction& i : module.section(Section::Annotations)) {
        if (i.operandCount() == 0 || !i.isId(0))
            continue;
        const bool appliesGroup = i.op == spv::Op::OpGroupDecorate || i.op == spv::Op::OpGroupMemberDecorate;
        if (!appliesGroup) {
            annotate(i.id(0), &i);
            continue;
        }
        // A group names its targets but does not need them; they need the group.
        const Instruction* group = m_definitions.get(i.id(0).value);
        for (size_t o = 1; o < i.operandCount() && group; ++o)
            if (i.isId(o))
                annotate(i.id(o), group);
    }
    findDescriptions(module.section(Section::Globals));
    findDescriptions(module.trailing);
}

void ReachIndex::annotate(Id target, const Instruction* annotation)
{
    m_hasMore.insert(target);
    m_annotations[target.value].push_back(annotation);
    const Instruction& i = *annotation;
    const bool isSize = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                        i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                        i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
    if (isSize)
        m_workgroupSizes.push_back(target);
}

void ReachIndex::findDescriptions(const InstructionList& list)
{
    for (const Instruction& i : list) {
        const std::vector<Id> described = isExtendedInstruction(i.op) ? describedBy(i) : std::vector<Id>();
        for (const Id id : described) {
            m_hasMore.insert(id);
            m_descriptionsOf[id.value].push_back(static_cast<uint32_t>(m_descriptions.size()));
        }
        if (!described.empty())
            m_descriptions.push_back(i.result);
    }
}

std::vector<Id> ReachIndex::describedBy(const Instruction& i) const
{
    std::vector<Id> out;
    i.forEachUse([&](Id id) {
        const Instruction* global = m_definitions.get(id.value);
        const bool isVariable = global && global->op == spv::Op::OpVariable;
        if (isVariable || m_functions.contains(id.value))
            out.push_back(id);
    });
    return out;
}

void Reach::add(Id root)
{
    push(root);
    while (!m_pending.empty()) {
        const Id id = m_pending.back();
        m_pending.pop_back();
        visit(id);
    }
}

void Reach::addUses(const Instruction& i)
{
    i.forEachUse([this](Id id) { add(id); });
}

void Reach::addWorkgroupSize()
{
    for (const Id id : m_index.m_workgroupSizes)
        add(id);
}

void Reach::addDescriptions()
{
    // In their order: one that makes the set larger does not bring in those in front of it.
    for (uint32_t next = 0; !m_descriptions.empty();) {
        const uint32_t description = m_descriptions.top();
        m_descriptions.pop();
        if (description < next)
            continue;
        next = description + 1;
        add(m_index.m_descriptions[description]);
    }
}

IdSet Reach::takeIds()
{
    m_all.clear();
    m_descriptions = {};
    return std::exchange(m_ids, {});
}

void Reach::push(Id id)
{
    if (m_ids.insert(id)) {
        m_all.push_back(id);
        m_pending.push_back(id);
    }
}

void Reach::pushUses(const Instruction& i)
{
    if (i.result)
        push(i.result);
    i.forEachUse([this](Id id) { push(id); });
}

void Reach::pushAll(const InstructionList& list)
{
    for (const Instruction& i : list)
        pushUses(i);
}

void Reach::visit(Id id)
{
    if (const Instruction* definition = m_index.m_definitions.get(id.value))
        pushUses(*definition);
    else if (const auto function = m_index.m_functions.find(id.value); function != m_index.m_functions.end())
        visit(*function->second);
    if (!m_index.m_hasMore.contains(id))
        return;
    if (const auto annotations = m_index.m_annotations.find(id.value); annotations != m_index.m_annotations.end())
        for (const Instruction* annotation : annotations->second)
            pushUses(*annotation);
    if (const auto descriptions = m_index.m_descriptionsOf.find(id.value);
        descriptions != m_index.m_descriptionsOf.end())
        for (const uint32_t description : descriptions->second)
            m_descriptions.push(description);
}

void Reach::visit(const Function& function)
{
    pushAll(function.before);
    pushUses(function.definition);
    for (const auto& [index, i] : function.beforeParameter)
        pushUses(i);
    pushAll(function.parameters);
    for (const Block& block : function.blocks) {
        pushAll(block.before);
        push(block.label);
        pushAll(block.body);
    }
    pushAll(function.after);
}

void keepTargets(Instruction& group, const std::function<bool(Id)>& reached)
{
    Instruction kept = instruction(group.op).add(group.id(0));
    for (size_t o = 1; o < group.operandCount(); ++o) {
        const bool keep = reached(group.id(o));
        if (keep)
            kept.add(group.id(o));
        if (group.op == spv::Op::OpGroupMemberDecorate && ++o < group.operandCount() && keep)
            kept.add(group.literal(o));
    }
    group = std::move(kept);
}

void removeUnreached(Module& module, const IdSet& reached)
{
    const auto unreachedTarget = [&](const Instruction& i) {
        return i.operandCount() > 0 && i.isId(0) && !reached.contains(i.id(0));
    };
    const auto unreached = [&](const Instruction& i) {
        return i.result ? !reached.contains(i.result) : i.op == spv::Op::OpTypeForwardPointer && unreachedTarget(i);
    };
    std::erase_if(module.functions, [&](const Function& f) { return !reached.contains(f.id()); });
    std::erase_if(module.section(Section::DebugNames), unreachedTarget);
    std::erase_if(module.section(Section::ExecutionModes), unreachedTarget);
    InstructionList& annotations = module.section(Section::Annotations);
    std::erase_if(annotations, [&](const Instruction& i) { return unreachedTarget(i) || unreached(i); });
    for (Instruction& i : annotations)
        if (i.op == spv::Op::OpGroupDecorate || i.op == spv::Op::OpGroupMemberDecorate)
            keepTargets(i, [&](Id id) { return reached.contains(id); });
    std::erase_if(module.section(Section::Globals), unreached);
    std::erase_if(module.trailing, unreached);
}

}  // namespace millrace::spirv
