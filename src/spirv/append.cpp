// SPDX-License-Identifier: Apache-2.0
#include "spirv/append.h"

#include <algorithm>
#include <string>

#include "spirv/id_set.h"

namespace millrace::spirv {

namespace {

// Pointers that have their id before their definition comes.
IdSet findAnnounced(const Module& module)
{
    IdSet announced;
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpTypeForwardPointer)
            announced.insert(i.id(0));
    return announced;
}

const Instruction* findMemoryModel(const Module& module)
{
    const InstructionList& list = module.section(Section::MemoryModel);
    const auto found = std::ranges::find(list, spv::Op::OpMemoryModel, &Instruction::op);
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

Appender::Annotations Appender::annotationsOf(const Module& module)
{
    Annotations annotations;
    for (const Instruction& i : module.section(Section::Annotations))
        if (i.isId(0))
            annotations[i.id(0).value].push_back(&i);
    return annotations;
}

// Those of an invocation or a workgroup have a value of the code that they were declared for.
bool Appender::isShared(const Instruction& i)
{
    switch (i.op) {
        case spv::Op::OpConstant:
        case spv::Op::OpConstantTrue:
        case spv::Op::OpConstantFalse:
        case spv::Op::OpConstantComposite:
        case spv::Op::OpConstantNull:
            return true;
        case spv::Op::OpVariable:
            switch (static_cast<spv::StorageClass>(i.literal(0))) {
                case spv::StorageClass::Input:
                case spv::StorageClass::Output:
                case spv::StorageClass::PushConstant:
                case spv::StorageClass::StorageBuffer:
                case spv::StorageClass::Uniform:
                case spv::StorageClass::UniformConstant:
                    return true;
                default:
                    return false;
            }
        default:
            return isType(i.op);
    }
}

// Ids in it are ours. False if no key says all of it. `target`: what the annotations are of.
bool Appender::makeKey(const Instruction& i, const Annotations& annotations, Id target, Key& key)
{
    key = {static_cast<uint32_t>(i.op), i.type.value, static_cast<uint32_t>(i.words.size())};
    key.insert(key.end(), i.words.begin(), i.words.end());
    const auto found = annotations.find(target.value);
    if (found == annotations.end())
        return true;
    std::vector<Key> decorations;
    for (const Instruction* decoration : found->second) {
        for (size_t o = 1; o < decoration->operandCount(); ++o)
            if (decoration->isId(o))
                return false;
        Key& one = decorations.emplace_back();
        one.push_back(static_cast<uint32_t>(decoration->op));
        one.push_back(static_cast<uint32_t>(decoration->words.size()));
        one.insert(one.end(), decoration->words.begin() + 1, decoration->words.end());
    }
    std::ranges::sort(decorations);
    for (const Key& one : decorations)
        key.insert(key.end(), one.begin(), one.end());
    return true;
}

Appender::Appender(Module& module) : m_ours(module)
{
    const Annotations annotations = annotationsOf(module);
    const IdSet announced = findAnnounced(module);
    Key key;
    for (const Instruction& i : module.section(Section::Globals))
        if (isShared(i) && !announced.contains(i.result) && makeKey(i, annotations, i.result, key))
            m_known.try_emplace(key, i.result);
}

Id Appender::mapped(Id theirs)
{
    uint32_t& own = m_map[theirs.value];
    if (own == 0)
        own = m_ours.newId().value;
    return Id{own};
}

Instruction Appender::copied(Instruction i)
{
    if (i.type)
        i.type = mapped(i.type);
    if (i.result)
        i.result = mapped(i.result);
    for (size_t o = 0; o < i.operandCount(); ++o)
        if (i.isId(o))
            i.setId(o, mapped(i.id(o)));
    return i;
}

InstructionList Appender::copied(const InstructionList& list)
{
    InstructionList out;
    out.reserve(list.size());
    for (const Instruction& i : list)
        out.push_back(copied(i));
    return out;
}

void Appender::appendRequirements(const Module& theirs)
{
    m_ours.version = std::max(m_ours.version, theirs.version);
    for (const Instruction& i : theirs.section(Section::Capabilities))
        m_ours.addCapability(static_cast<spv::Capability>(i.literal(0)));
    for (const Instruction& i : theirs.section(Section::Extensions))
        m_ours.addExtension(i.string(0));
}

void Appender::appendImports(const Module& theirs)
{
    InstructionList& ours = m_ours.section(Section::ExtInstImports);
    for (const Instruction& i : theirs.section(Section::ExtInstImports)) {
        const auto found =
            std::ranges::find_if(ours, [&](const Instruction& own) { return own.string(0) == i.string(0); });
        if (found != ours.end())
            m_map[i.result.value] = found->result.value;
        else
            ours.push_back(copied(i));
    }
    // What lines name. The rest of the section is about whole modules.
    for (const Instruction& i : theirs.section(Section::DebugStrings))
        if (i.op == spv::Op::OpString)
            m_ours.section(Section::DebugStrings).push_back(copied(i));
}

void Appender::appendGlobals(const Module& theirs)
{
    const Annotations annotations = annotationsOf(theirs);
    const IdSet announced = findAnnounced(theirs);
    InstructionList& ours = m_ours.section(Section::Globals);
    Key key;
    for (const Instruction& i : theirs.section(Section::Globals)) {
        const bool isAnnounced = i.result && announced.contains(i.result);
        if (!i.result || (m_map[i.result.value] != 0 && !isAnnounced)) {
            if (i.op == spv::Op::OpTypeForwardPointer)
                ours.push_back(copied(i));
            continue;  // a line, or something that is given
        }
        Instruction own = copied(i);
        const bool hasKey = !isAnnounced && isShared(own) && makeKey(own, annotations, i.result, key);
        const auto [known, isNew] = hasKey ? m_known.try_emplace(key, own.result) : std::pair(m_known.end(), true);
        if (isNew)
            ours.push_back(std::move(own));
        else
            m_map[i.result.value] = known->second.value;
    }
}

void Appender::appendFunctions(const Module& theirs)
{
    for (const Function& function : theirs.functions) {
        Function own;
        own.definition = copied(function.definition);
        own.parameters = copied(function.parameters);
        own.before = copied(function.before);
        for (const Block& block : function.blocks)
            own.blocks.push_back({mapped(block.label), copied(block.body), copied(block.before)});
        own.after = copied(function.after);
        for (const auto& [index, loose] : function.beforeParameter)
            own.beforeParameter.emplace_back(index, copied(loose));
        m_ours.functions.push_back(std::move(own));
    }
}

void Appender::appendDescriptions(const Module& theirs, Section section, uint32_t firstNew)
{
    for (const Instruction& i : theirs.section(section))
        if (i.isId(0) && m_map[i.id(0).value] >= firstNew)
            m_ours.section(section).push_back(copied(i));
}

Status Appender::append(const Module& theirs, std::span<const std::pair<Id, Id>> same)
{
    const Instruction* ourModel = findMemoryModel(m_ours);
    const Instruction* theirModel = findMemoryModel(theirs);
    if (!ourModel || !theirModel || ourModel->words != theirModel->words)
        return Diagnostic{"append", {}, "the addressing or memory models differ"};
    const uint32_t firstNew = m_ours.bound;
    m_map.assign(theirs.bound, 0);
    for (const auto& [their, our] : same)
        m_map[their.value] = our.value;
    appendRequirements(theirs);
    appendImports(theirs);
    appendGlobals(theirs);
    appendFunctions(theirs);
    appendDescriptions(theirs, Section::Annotations, firstNew);
    appendDescriptions(theirs, Section::DebugNames, firstNew);
    return {};
}

}  // namespace millrace::spirv
