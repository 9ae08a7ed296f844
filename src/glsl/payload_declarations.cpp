// SPDX-License-Identifier: Apache-2.0
#include "glsl/payload_declarations.h"

#include <algorithm>
#include <map>

namespace millrace::glsl {

namespace {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

Id createString(Module& module, const std::string& text)
{
    const Id result = module.newId();
    module.section(Section::Globals)
        .push_back(spirv::instruction(spv::Op::OpConstantStringAMDX, {}, result).add(std::string_view(text)));
    return result;
}

class Modes {
public:
    explicit Modes(Module& module) : m_module(module), m_entry(module.section(Section::EntryPoints).at(0).id(1)) {}

    void add(spv::ExecutionMode mode, std::initializer_list<Id> values)
    {
        const spv::Op op = values.size() == 0 ? spv::Op::OpExecutionMode : spv::Op::OpExecutionModeId;
        Instruction i = spirv::instruction(op).add(m_entry).add(static_cast<uint32_t>(mode));
        for (const Id value : values)
            i.add(value);
        m_module.section(Section::ExecutionModes).push_back(std::move(i));
    }
    void addValues(spv::ExecutionMode mode, const Declared& node, Attribute attribute)
    {
        const auto found = node.values.find(attribute);
        if (found != node.values.end() && found->second.size() == 3)
            add(mode, {found->second[0], found->second[1], found->second[2]});
        else if (found != node.values.end())
            add(mode, {found->second[0]});
    }

private:
    Module& m_module;
    Id m_entry;
};

// The variable whose block glslang has named after the declaration's number.
Id findBlock(const Module& module, uint32_t number)
{
    const std::string name = std::string(kBlock) + std::to_string(number);
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpVariable && module.name(module.pointee(i.type)) == name)
            return i.result;
    return {};
}

// The type of a payload: what the block holds, or what the array in it holds.
Id payloadType(const Module& module, Id block)
{
    const Instruction* type = module.findDefinition(module.pointee(module.typeOf(block)));
    const Instruction* member = type ? module.findDefinition(type->id(0)) : nullptr;
    const bool isArray = member && member->op == spv::Op::OpTypeRuntimeArray;
    return isArray ? member->id(0) : member ? member->result : Id{};
}

bool hasGridMember(const Module& module, Id type)
{
    const Instruction* structure = module.findDefinition(type);
    if (!structure || structure->op != spv::Op::OpTypeStruct)
        return false;
    for (uint32_t m = 0; m < structure->operandCount(); ++m)
        if (module.findMemberDecoration(type, m, spv::Decoration::PayloadDispatchIndirectAMDX) ||
            hasGridMember(module, structure->id(m)))
            return true;
    return false;
}

class Declarer {
public:
    Declarer(Module& module, const std::vector<Declared>& declared) : m_module(module), m_declared(declared) {}

    Result<std::vector<Payload>> run()
    {
        for (const Declared& d : m_declared) {
            if (d.source->kind == DeclarationKind::Node)
                continue;
            Payload payload;
            payload.declared = &d;
            if (Status status = declareType(payload); !status)
                return status.error();
            if (payload.isInput())
                declareInput(payload);
            m_payloads.push_back(payload);
        }
        if (Status status = trackFinish(); !status)
            return status.error();
        for (const Payload& payload : m_payloads)
            decorate(payload);
        return std::move(m_payloads);
    }

private:
    Status declareType(Payload& payload)
    {
        const Declared& d = *payload.declared;
        if (d.source->isEmpty) {
            payload.structure = append(spirv::instruction(spv::Op::OpTypeStruct));
            m_module.setName(payload.structure, "Empty");
        } else {
            payload.block = findBlock(m_module, d.number);
            payload.structure = payloadType(m_module, payload.block);
        }
        const Instruction* type = m_module.findDefinition(payload.structure);
        if (!type || type->op != spv::Op::OpTypeStruct)
            return Diagnostic{{}, {}, d.at() + "the payload \"" + d.source->name + "\" must be a structure"};
        // One type for each declaration, also where structures are the same: decorations are what tells outputs apart.
        payload.array = append(spirv::instruction(spv::Op::OpTypeNodePayloadArrayAMDX).add(payload.structure));
        payload.pointer = m_module.getPointerType(spv::StorageClass::NodePayloadAMDX, payload.array);
        return {};
    }

    void declareInput(Payload& payload)
    {
        payload.input = m_module.createVariable(payload.pointer, spv::StorageClass::NodePayloadAMDX);
        m_module.setName(payload.input, payload.declared->source->name);
        changeInterface(m_module, payload.block, payload.input);
    }

    // The decoration belongs to the structure, which glslang shares.
    Status trackFinish()
    {
        std::map<Id, const Payload*> first;
        for (const Payload& payload : m_payloads) {
            const Payload* other = first.try_emplace(payload.structure, &payload).first->second;
            const bool tracks = payload.declared->has(Attribute::FinishTracking);
            if (tracks != other->declared->has(Attribute::FinishTracking)) {
                return Diagnostic{{},
                                  {},
                                  payload.declared->at() + "finish_tracking must be said of both \"" +
                                      other->declared->source->name + "\" and \"" + payload.declared->source->name +
                                      "\", which have the same structure, or of none; give one a structure of its own"};
            }
            if (tracks && other == &payload)
                m_module.decorate(payload.structure, spv::Decoration::TrackFinishWritingAMDX);
        }
        return {};
    }

    void decorate(const Payload& payload)
    {
        const Declared& d = *payload.declared;
        decorateId(payload.array, spv::Decoration::NodeMaxPayloadsAMDX, d.value(Attribute::MaxPayloads));
        if (payload.isInput()) {
            protect(payload);
            return;
        }
        const auto node = d.source->strings.find(Attribute::TargetNode);
        const std::string& target = node == d.source->strings.end() ? d.source->name : node->second;
        m_module.setName(payload.array, d.source->name);
        decorateId(payload.array, spv::Decoration::PayloadNodeNameAMDX, createString(m_module, target));
        decorateId(payload.array, spv::Decoration::PayloadNodeBaseIndexAMDX, d.value(Attribute::BaseIndex));
        decorateId(payload.array, spv::Decoration::PayloadNodeArraySizeAMDX, arraySize(d));
        if (d.has(Attribute::Sparse))
            m_module.decorate(payload.array, spv::Decoration::PayloadNodeSparseArrayAMDX);
        if (d.has(Attribute::SharesBudgetWith)) {
            decorateId(payload.array, spv::Decoration::NodeSharesPayloadLimitsWithAMDX,
                       sharedBudget(d.value(Attribute::SharesBudgetWith)));
        }
    }

    // The extension asks for NonWritable on the variable of a shared input, which spirv-val refuses; on members it does
    // not. They may also be those of an output, which is written.
    void protect(const Payload& input)
    {
        const bool isShared = std::ranges::any_of(
            m_payloads, [&](const Payload& other) { return !other.isInput() && other.structure == input.structure; });
        if (!input.declared->source->isReadOnly || isShared)
            return;
        const auto members = static_cast<uint32_t>(m_module.findDefinition(input.structure)->operandCount());
        for (uint32_t m = 0; m < members; ++m)
            m_module.decorateMember(input.structure, m, spv::Decoration::NonWritable);
    }

    // An output without array_size is for one node; with a base index that is not the first of an array, whose size
    // nobody has told.
    Id arraySize(const Declared& d)
    {
        const bool isOpen = d.has(Attribute::ArraySize) || d.has(Attribute::Sparse) || d.has(Attribute::BaseIndex);
        return isOpen ? d.value(Attribute::ArraySize) : m_module.getConstant(1);
    }

    Id sharedBudget(Id number)
    {
        uint32_t wanted = 0;
        m_module.constantValue(number, wanted);
        const auto found =
            std::ranges::find_if(m_payloads, [&](const Payload& p) { return p.declared->number == wanted; });
        return found == m_payloads.end() ? Id{} : found->array;
    }

    void decorateId(Id target, spv::Decoration decoration, Id value)
    {
        if (value) {
            m_module.section(Section::Annotations)
                .push_back(spirv::instruction(spv::Op::OpDecorateId)
                               .add(target)
                               .add(static_cast<uint32_t>(decoration))
                               .add(value));
        }
    }

    Id append(Instruction i)
    {
        i.result = m_module.newId();
        m_module.section(Section::Globals).push_back(std::move(i));
        return m_module.section(Section::Globals).back().result;
    }

    Module& m_module;
    const std::vector<Declared>& m_declared;
    std::vector<Payload> m_payloads;
};

}  // namespace

void changeInterface(Module& module, Id remove, Id add)
{
    Instruction& old = module.section(Section::EntryPoints).at(0);
    Instruction entryPoint = spirv::instruction(old.op).add(old.literal(0)).add(old.id(1)).add(old.string(2));
    for (size_t o = 3; o < old.operandCount(); ++o)
        if (old.id(o) != remove)
            entryPoint.add(old.id(o));
    if (add)
        entryPoint.add(add);
    old = std::move(entryPoint);
}

void declareNode(Module& module, const std::vector<Declared>& declared)
{
    const auto node =
        std::ranges::find_if(declared, [](const Declared& d) { return d.source->kind == DeclarationKind::Node; });
    if (node == declared.end())
        return;
    Modes modes(module);
    if (node->has(Attribute::Coalescing))
        modes.add(spv::ExecutionMode::CoalescingAMDX, {});
    modes.addValues(spv::ExecutionMode::ShaderIndexAMDX, *node, Attribute::Index);
    modes.addValues(spv::ExecutionMode::StaticNumWorkgroupsAMDX, *node, Attribute::StaticGrid);
    modes.addValues(spv::ExecutionMode::MaxNumWorkgroupsAMDX, *node, Attribute::MaxGrid);
    modes.addValues(spv::ExecutionMode::MaxNodeRecursionAMDX, *node, Attribute::Recursion);
    modes.addValues(spv::ExecutionMode::IsApiEntryAMDX, *node, Attribute::ApiEntry);
    const auto base = node->source->strings.find(Attribute::SharesInputWith);
    if (base != node->source->strings.end()) {
        const Id index = node->value(Attribute::SharesInputIndex);
        modes.add(spv::ExecutionMode::SharesInputWithAMDX,
                  {createString(module, base->second), index ? index : module.getConstant(0)});
        modes.add(spv::ExecutionMode::IsApiEntryAMDX, {module.getConstantBool(false)});
    }
}

Status checkGrid(const Module& module, const std::vector<Declared>& declared, const std::vector<Payload>& payloads)
{
    const bool needsNone = std::ranges::any_of(
        declared, [](const Declared& d) { return d.has(Attribute::StaticGrid) || d.has(Attribute::Coalescing); });
    const auto input = std::ranges::find_if(payloads, &Payload::isInput);
    if (needsNone || input == payloads.end() || hasGridMember(module, input->structure))
        return {};
    return Diagnostic{{},
                      {},
                      input->declared->at() + "how many workgroups run for a payload? \"" +
                          input->declared->source->name +
                          "\" needs a dispatch_grid member, or the node static_grid or coalescing"};
}

Result<std::vector<Payload>> declarePayloads(Module& module, const std::vector<Declared>& declared)
{
    return Declarer(module, declared).run();
}

}  // namespace millrace::glsl
