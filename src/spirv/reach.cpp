// SPDX-License-Identifier: Apache-2.0
#include "spirv/reach.h"

namespace millrace::spirv {

Reach::Reach(const Module& module)
    : m_module(module), m_definitions(module.bound), m_isAnnotated(module.bound), m_ids(module.bound)
{
    const auto define = [this](const InstructionList& list) {
        for (const Instruction& i : list)
            if (i.result)
                m_definitions[i.result.value] = &i;
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
        const Instruction* group = m_definitions[i.id(0).value];
        for (size_t o = 1; o < i.operandCount() && group; ++o)
            if (i.isId(o))
                annotate(i.id(o), group);
    }
}

void Reach::annotate(Id target, const Instruction* annotation)
{
    m_isAnnotated[target.value] = true;
    m_annotations[target.value].push_back(annotation);
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
    for (const Instruction& i : m_module.section(Section::Annotations)) {
        const bool isSize = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                            i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                            i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
        if (isSize)
            add(i.id(0));
    }
}

void Reach::addDescriptions()
{
    const auto describes = [this](const Instruction& i) {
        bool found = false;
        i.forEachUse([&](Id id) {
            const Instruction* global = m_definitions[id.value];
            const bool isVariable = global && global->op == spv::Op::OpVariable;
            found = found || (contains(id) && (isVariable || m_functions.contains(id.value)));
        });
        return found;
    };
    for (const InstructionList* list : {&m_module.section(Section::Globals), &m_module.trailing}) {
        for (const Instruction& i : *list)
            if (isExtendedInstruction(i.op) && describes(i))
                add(i.result);
    }
}

void Reach::push(Id id)
{
    if (!m_ids[id.value]) {
        m_ids[id.value] = true;
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
    if (const Instruction* definition = m_definitions[id.value])
        pushUses(*definition);
    else if (const auto function = m_functions.find(id.value); function != m_functions.end())
        visit(*function->second);
    if (m_isAnnotated[id.value])
        for (const Instruction* annotation : m_annotations.at(id.value))
            pushUses(*annotation);
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

namespace {

// Groups keep those of their targets that are left.
void filterGroup(Instruction& group, const std::vector<bool>& reached)
{
    Instruction kept = instruction(group.op).add(group.id(0));
    for (size_t o = 1; o < group.operandCount(); ++o) {
        const bool keep = reached[group.id(o).value];
        if (keep)
            kept.add(group.id(o));
        if (group.op == spv::Op::OpGroupMemberDecorate && ++o < group.operandCount() && keep)
            kept.add(group.literal(o));
    }
    group = std::move(kept);
}

}  // namespace

void removeUnreached(Module& module, const std::vector<bool>& reached)
{
    const auto unreachedTarget = [&](const Instruction& i) {
        return i.operandCount() > 0 && i.isId(0) && !reached[i.id(0).value];
    };
    const auto unreached = [&](const Instruction& i) {
        return i.result ? !reached[i.result.value] : i.op == spv::Op::OpTypeForwardPointer && unreachedTarget(i);
    };
    std::erase_if(module.functions, [&](const Function& f) { return !reached[f.id().value]; });
    std::erase_if(module.section(Section::DebugNames), unreachedTarget);
    std::erase_if(module.section(Section::ExecutionModes), unreachedTarget);
    InstructionList& annotations = module.section(Section::Annotations);
    std::erase_if(annotations, [&](const Instruction& i) { return unreachedTarget(i) || unreached(i); });
    for (Instruction& i : annotations)
        if (i.op == spv::Op::OpGroupDecorate || i.op == spv::Op::OpGroupMemberDecorate)
            filterGroup(i, reached);
    std::erase_if(module.section(Section::Globals), unreached);
    std::erase_if(module.trailing, unreached);
}

}  // namespace millrace::spirv
