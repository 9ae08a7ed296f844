// SPDX-License-Identifier: Apache-2.0
#include "oracle/translator.h"

namespace millrace::oracle {

namespace {

bool holdsPointers(const Module& module, uint32_t id)
{
    const Type& type = module.type(id);
    if (type.kind == TypeKind::Pointer || type.kind == TypeKind::PayloadArray)
        return true;
    if (type.kind == TypeKind::Array)
        return holdsPointers(module, type.element);
    for (uint32_t member : type.members)
        if (holdsPointers(module, member))
            return true;
    return false;
}

}  // namespace

Translator::Translator(const Module& module, const EntryPoint& entry) : m_module(module), m_entry(entry) {}

Program translate(const Module& module, const EntryPoint& entry)
{
    return Translator(module, entry).run();
}

Program Translator::run()
{
    for (uint32_t id : m_entry.interface) {
        const ModuleVariable* variable = m_module.variable(id);
        if (!variable || variable->storage != spv::StorageClassNodePayloadAMDX)
            continue;
        if (m_program.inputVariable)
            throw RuleError("two NodePayloadAMDX variables in the interface of " + m_entry.name);
        if (variable->initializer)
            throw RuleError("NodePayloadAMDX variable with an initializer");
        m_program.inputVariable = id;
    }
    m_program.entry = 0;
    // Private variables are initialized by the first operations.
    for (const ModuleVariable& variable : m_module.variables()) {
        if (variable.storage != spv::StorageClassPrivate || !variable.initializer)
            continue;
        emitStore(slotOf(variable.initializer), slotOf(variable.id), m_module.type(variable.type).element,
                  variable.storage, 0);
    }
    Operation& first = emit(Code::Jump);
    m_calls.emplace_back(static_cast<uint32_t>(&first - m_program.operations.data()), m_entry.function);
    m_pending.push_back(m_entry.function);
    m_requested.insert(m_entry.function);
    while (!m_pending.empty()) {
        const uint32_t next = m_pending.front();
        m_pending.pop_front();
        translateFunction(m_module.function(next));
    }
    patch();
    return std::move(m_program);
}

void Translator::patch()
{
    for (const auto& [operation, label] : m_jumps) {
        const auto found = m_labels.find(label);
        if (found == m_labels.end())
            throw RuleError("branch to a block that does not exist");
        m_program.operations[operation].target = found->second;
    }
    for (const auto& [operation, function] : m_calls)
        m_program.operations[operation].target = m_functions.at(function);
    for (SwitchTable& table : m_program.tables) {
        for (auto& [value, target] : table.cases)
            target = m_labels.at(target);
        table.otherwise = m_labels.at(table.otherwise);
    }
}

uint32_t Translator::newSlots(uint32_t count)
{
    const uint32_t first = m_program.slots;
    m_program.slots += count;
    return first;
}

uint32_t Translator::zeroSlot()
{
    if (m_zero == ~0u) {
        m_zero = newSlots(1);
        m_program.presets.push_back({Preset::Kind::Constant, m_zero, 0});
    }
    return m_zero;
}

uint32_t Translator::typeOf(uint32_t id) const
{
    const auto found = m_types.find(id);
    if (found != m_types.end())
        return found->second;
    if (m_module.constant(id))
        return m_module.typeOfConstant(id);
    if (const ModuleVariable* variable = m_module.variable(id))
        return variable->type;
    throw RuleError("id " + std::to_string(id) + " has no type");
}

uint32_t Translator::slotOf(uint32_t id)
{
    const auto found = m_slots.find(id);
    if (found != m_slots.end())
        return found->second;
    uint32_t slot = 0;
    if (const std::vector<uint64_t>* constant = m_module.constant(id)) {
        slot = newSlots(static_cast<uint32_t>(constant->size()));
        for (uint32_t i = 0; i < constant->size(); ++i)
            m_program.presets.push_back({Preset::Kind::Constant, slot + i, (*constant)[i]});
    } else if (const ModuleVariable* variable = m_module.variable(id)) {
        slot = presetVariable(*variable);
    } else {
        slot = newSlotsOfType(typeOf(id));
    }
    m_slots[id] = slot;
    return slot;
}

uint32_t Translator::laneVariable(uint32_t pointee)
{
    const uint32_t slot = newSlots(2);
    m_program.presets.push_back({Preset::Kind::LaneMemory, slot, m_program.laneBytes});
    const uint64_t size = sizeOf(m_module, pointee, Layout::Internal);
    if (holdsPointers(m_module, pointee))
        m_program.zeroLaneMemory.emplace_back(m_program.laneBytes, size);
    m_program.laneBytes += (size + 7) / 8 * 8;
    return slot;
}

uint32_t Translator::presetVariable(const ModuleVariable& variable)
{
    const uint32_t pointee = m_module.type(variable.type).element;
    switch (variable.storage) {
        case spv::StorageClassPrivate:
            return laneVariable(pointee);
        case spv::StorageClassInput:
            presetBuiltIn(variable, m_program.laneBytes);
            return laneVariable(pointee);
        default:
            break;
    }
    const uint32_t slot = newSlots(2);
    Preset preset{Preset::Kind::Buffer, slot, 0};
    switch (variable.storage) {
        case spv::StorageClassWorkgroup: {
            const uint64_t size = sizeOf(m_module, pointee, Layout::Internal);
            preset.kind = Preset::Kind::GroupMemory;
            preset.value = m_program.groupBytes;
            if (variable.initializer)
                m_program.zeroGroupMemory.emplace_back(m_program.groupBytes, size);
            m_program.groupBytes += (size + 7) / 8 * 8;
            break;
        }
        case spv::StorageClassOutput:
            preset.kind = Preset::Kind::GroupMemory;
            preset.value = m_program.groupBytes;
            addMeshVariables(variable);
            m_program.groupBytes += (sizeOf(m_module, pointee, Layout::Internal) + 7) / 8 * 8;
            break;
        case spv::StorageClassStorageBuffer:
        case spv::StorageClassUniform: {
            const Decoration* set = m_module.decoration(variable.id, spv::DecorationDescriptorSet);
            const Decoration* binding = m_module.decoration(variable.id, spv::DecorationBinding);
            if (!set || !binding)
                throw RuleError("buffer variable without set and binding");
            preset.value = uint64_t{set->operands[0]} << 32 | binding->operands[0];
            break;
        }
        case spv::StorageClassPushConstant:
            preset.kind = Preset::Kind::PushConstants;
            break;
        case spv::StorageClassNodePayloadAMDX:
            if (variable.id != m_program.inputVariable)
                throw RuleError("NodePayloadAMDX variable outside of the interface of " + m_entry.name);
            preset.kind = m_module.type(pointee).kind == TypeKind::PayloadArray ? Preset::Kind::InputArray
                                                                                : Preset::Kind::InputPayload;
            break;
        default:
            throw UnsupportedError("variable of storage class " + std::to_string(variable.storage));
    }
    m_program.presets.push_back(preset);
    return slot;
}

// All invocations see them, as they do workgroup memory.
void Translator::addMeshVariables(const ModuleVariable& variable)
{
    const Type& array = m_module.type(m_module.type(variable.type).element);
    if (m_entry.model != spv::ExecutionModelMeshEXT || array.kind != TypeKind::Array)
        throw UnsupportedError("an output that is no array of a mesh shader's");
    MeshVariable out;
    out.offset = m_program.groupBytes;
    out.stride = elementStride(m_module, array, Layout::Internal, 0);
    out.count = array.count;
    const auto add = [&](const Decoration* builtIn, const Decoration* location, uint32_t type, uint64_t offset) {
        MeshVariable part = out;
        if (builtIn)
            part.builtIn = static_cast<spv::BuiltIn>(builtIn->operands[0]);
        if (location)
            part.location = location->operands[0];
        part.offset += offset;
        part.bytes = sizeOf(m_module, type, Layout::Internal);
        m_program.meshVariables.push_back(part);
    };
    const Type& element = m_module.type(array.element);
    if (element.kind != TypeKind::Struct) {
        add(m_module.decoration(variable.id, spv::DecorationBuiltIn),
            m_module.decoration(variable.id, spv::DecorationLocation), array.element, 0);
        return;
    }
    for (uint32_t i = 0; i < element.members.size(); ++i)
        add(m_module.memberDecoration(element.id, i, spv::DecorationBuiltIn),
            m_module.memberDecoration(element.id, i, spv::DecorationLocation), element.members[i],
            memberOffset(m_module, element, i, Layout::Internal));
}

void Translator::presetBuiltIn(const ModuleVariable& variable, uint64_t offset)
{
    const Decoration* found = m_module.decoration(variable.id, spv::DecorationBuiltIn);
    if (!found)
        throw UnsupportedError("input variable that is no built-in");
    const auto builtIn = static_cast<spv::BuiltIn>(found->operands[0]);
    if (builtIn == spv::BuiltInNumWorkgroups)
        throw RuleError("NumWorkgroups in a node of an execution graph");
    const Type& type = m_module.type(m_module.type(variable.type).element);
    m_program.builtIns.push_back({builtIn, offset, type.kind == TypeKind::Vector ? type.count : 1});
}

void Translator::translateFunction(const Function& function)
{
    if (function.blocks.empty())
        throw UnsupportedError("function without a body");
    for (const Instruction& parameter : function.parameters)
        m_types[parameter.result] = parameter.type;
    for (const BasicBlock& block : function.blocks) {
        m_blocks[block.label] = &block;
        for (const Instruction& instruction : block.instructions)
            if (instruction.result && instruction.type)
                m_types[instruction.result] = instruction.type;
    }
    m_functions[function.id] = static_cast<uint32_t>(m_program.operations.size());
    for (const BasicBlock& block : function.blocks) {
        m_labels[block.label] = static_cast<uint32_t>(m_program.operations.size());
        for (const Instruction& instruction : block.instructions)
            translateInstruction(function, block, instruction);
    }
}

void Translator::translateInstruction(const Function& function, const BasicBlock& block, const Instruction& instruction)
{
    if (translateControl(function, block, instruction) || translateMemory(instruction) || translateNode(instruction) ||
        translateValue(instruction))
        return;
    throw UnsupportedError(spv::OpToString(instruction.op));
}

Operation& Translator::emit(Code code)
{
    m_program.operations.emplace_back().code = code;
    return m_program.operations.back();
}

void Translator::emitCopy(uint32_t destination, uint32_t source, uint32_t count)
{
    if (count == 0)
        return;
    Operation& copy = emit(Code::Copy);
    copy.where.destination = destination;
    copy.where.a = source;
    copy.where.count = count;
}

void Translator::emitApply(ArithmeticFunction function, const ArithmeticOperands& where)
{
    Operation& apply = emit(Code::Apply);
    apply.function = function;
    apply.where = where;
}

}  // namespace millrace::oracle
