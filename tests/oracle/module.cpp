// SPDX-License-Identifier: Apache-2.0
#include "oracle/module.h"

#include "oracle/arithmetic.h"
#include "oracle/layout.h"

namespace millrace::oracle {

namespace {

std::string literalString(std::span<const uint32_t> words, size_t* used = nullptr)
{
    std::string out;
    for (size_t i = 0; i < words.size(); ++i) {
        for (uint32_t shift = 0; shift < 32; shift += 8) {
            const char letter = static_cast<char>(words[i] >> shift & 0xff);
            if (letter == '\0') {
                if (used)
                    *used = i + 1;
                return out;
            }
            out += letter;
        }
    }
    throw RuleError("string without an end");
}

const Decoration* find(const std::vector<Decoration>& list, spv::Decoration kind)
{
    for (const Decoration& item : list)
        if (item.kind == kind)
            return &item;
    return nullptr;
}

Instruction decode(std::span<const uint32_t> words)
{
    Instruction out;
    out.op = static_cast<spv::Op>(words[0] & 0xffff);
    bool hasResult = false;
    bool hasType = false;
    spv::HasResultAndType(out.op, &hasResult, &hasType);
    size_t next = 1;
    if (words.size() < 1u + hasType + hasResult)
        throw RuleError("instruction without its result");
    if (hasType)
        out.type = words[next++];
    if (hasResult)
        out.result = words[next++];
    out.operands = words.subspan(next);
    return out;
}

}  // namespace

Module::Module(std::vector<uint32_t> words, const Specialization& specialization)
    : m_words(std::move(words)), m_specialization(specialization)
{
    if (m_words.size() < 5 || m_words[0] != spv::MagicNumber)
        throw RuleError("not a SPIR-V module");
    for (size_t at = 5; at < m_words.size();) {
        const size_t length = m_words[at] >> 16;
        if (length == 0 || at + length > m_words.size())
            throw RuleError("instruction beyond the end of the module");
        const Instruction instruction = decode(std::span<const uint32_t>(m_words).subspan(at, length));
        if (m_current || instruction.op == spv::OpFunction)
            readInFunction(instruction);
        else
            readGlobal(instruction);
        at += length;
    }
}

void Module::readGlobal(const Instruction& instruction)
{
    if (readAnnotation(instruction) || readType(instruction) || readConstant(instruction))
        return;
    const auto operands = instruction.operands;
    switch (instruction.op) {
        case spv::OpCapability:
            m_capabilities.push_back(static_cast<spv::Capability>(operands[0]));
            break;
        case spv::OpExtInstImport:
            m_imports[instruction.result] = literalString(operands);
            break;
        case spv::OpEntryPoint: {
            EntryPoint entry;
            entry.model = static_cast<spv::ExecutionModel>(operands[0]);
            entry.function = operands[1];
            size_t used = 0;
            entry.name = literalString(operands.subspan(2), &used);
            const auto rest = operands.subspan(2 + used);
            entry.interface.assign(rest.begin(), rest.end());
            m_entryPoints[entry.name] = entry;
            break;
        }
        case spv::OpExecutionMode:
        case spv::OpExecutionModeId:
            m_modes[operands[0]].push_back({static_cast<spv::ExecutionMode>(operands[1]), operands.subspan(2)});
            break;
        case spv::OpVariable:
            m_variables.push_back({instruction.result, instruction.type, static_cast<spv::StorageClass>(operands[0]),
                                   operands.size() > 1 ? operands[1] : 0});
            break;
        case spv::OpConstantStringAMDX:
        case spv::OpSpecConstantStringAMDX:
            m_strings[instruction.result] = literalString(operands);
            break;
        default:
            break;  // names, source text, extensions: nothing that runs
    }
}

bool Module::readAnnotation(const Instruction& instruction)
{
    const auto operands = instruction.operands;
    switch (instruction.op) {
        case spv::OpDecorate:
        case spv::OpDecorateId:
            m_decorations[operands[0]].push_back({static_cast<spv::Decoration>(operands[1]), operands.subspan(2)});
            return true;
        case spv::OpMemberDecorate:
            m_memberDecorations[{operands[0], operands[1]}].push_back(
                {static_cast<spv::Decoration>(operands[2]), operands.subspan(3)});
            return true;
        case spv::OpGroupDecorate:
        case spv::OpGroupMemberDecorate:
            throw UnsupportedError("decoration groups");
        default:
            return false;
    }
}

bool Module::readType(const Instruction& instruction)
{
    const auto operands = instruction.operands;
    Type type;
    type.id = instruction.result;
    switch (instruction.op) {
        case spv::OpTypeVoid:
            type.kind = TypeKind::Void;
            break;
        case spv::OpTypeBool:
            type.kind = TypeKind::Bool;
            break;
        case spv::OpTypeInt:
            type.kind = TypeKind::Int;
            type.width = operands[0];
            type.isSigned = operands[1] != 0;
            break;
        case spv::OpTypeFloat:
            type.kind = TypeKind::Float;
            type.width = operands[0];
            break;
        case spv::OpTypeVector:
        case spv::OpTypeMatrix:
            type.kind = instruction.op == spv::OpTypeVector ? TypeKind::Vector : TypeKind::Matrix;
            type.element = operands[0];
            type.count = operands[1];
            break;
        case spv::OpTypeArray:
            type.kind = TypeKind::Array;
            type.element = operands[0];
            type.count = static_cast<uint32_t>(scalarConstant(operands[1]));
            break;
        case spv::OpTypeRuntimeArray:
            type.kind = TypeKind::RuntimeArray;
            type.element = operands[0];
            break;
        case spv::OpTypeStruct:
            type.kind = TypeKind::Struct;
            type.members.assign(operands.begin(), operands.end());
            break;
        case spv::OpTypePointer:
            type.kind = TypeKind::Pointer;
            type.storage = static_cast<spv::StorageClass>(operands[0]);
            type.element = operands[1];
            break;
        case spv::OpTypeForwardPointer:
            return true;  // its OpTypePointer follows
        case spv::OpTypeFunction:
            type.kind = TypeKind::Function;
            type.members.assign(operands.begin() + 1, operands.end());
            break;
        case spv::OpTypeNodePayloadArrayAMDX:
            type.kind = TypeKind::PayloadArray;
            type.element = operands[0];
            break;
        case spv::OpTypeImage:
        case spv::OpTypeSampler:
        case spv::OpTypeSampledImage:
            break;
        default:
            return false;
    }
    m_types[type.id] = type;
    return true;
}

std::optional<uint64_t> Module::specialized(uint32_t id) const
{
    const Decoration* specId = decoration(id, spv::DecorationSpecId);
    if (!specId)
        return std::nullopt;
    const auto found = m_specialization.find(specId->operands[0]);
    return found == m_specialization.end() ? std::nullopt : std::optional(found->second);
}

std::vector<uint64_t> Module::literal(const Instruction& instruction) const
{
    const Type& numberType = type(instruction.type);
    uint64_t bits = instruction.operands[0];
    if (instruction.operands.size() > 1)
        bits |= static_cast<uint64_t>(instruction.operands[1]) << 32;
    if (instruction.op == spv::OpSpecConstant)
        bits = specialized(instruction.result).value_or(bits);
    return {bits & widthMask(numberType.width)};
}

bool Module::readConstant(const Instruction& instruction)
{
    Constant constant{instruction.type, {}};
    switch (instruction.op) {
        case spv::OpConstantTrue:
            constant.slots = {1};
            break;
        case spv::OpConstantFalse:
            constant.slots = {0};
            break;
        case spv::OpSpecConstantTrue:
            constant.slots = {specialized(instruction.result).value_or(1) != 0};
            break;
        case spv::OpSpecConstantFalse:
            constant.slots = {specialized(instruction.result).value_or(0) != 0};
            break;
        case spv::OpConstant:
        case spv::OpSpecConstant:
            constant.slots = literal(instruction);
            break;
        case spv::OpConstantNull:
        case spv::OpUndef:
            constant.slots.assign(slotCount(*this, instruction.type), 0);
            break;
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite:
            for (uint32_t part : instruction.operands) {
                const Constant& value = m_constants.at(part);
                constant.slots.insert(constant.slots.end(), value.slots.begin(), value.slots.end());
            }
            break;
        case spv::OpSpecConstantOp:
            readSpecConstantOp(instruction);
            return true;
        default:
            return false;
    }
    m_constants[instruction.result] = std::move(constant);
    return true;
}

void Module::readSpecConstantOp(const Instruction& instruction)
{
    const auto op = static_cast<spv::Op>(instruction.operands[0]);
    if (instruction.operands.size() < 2)
        throw UnsupportedError("OpSpecConstantOp without operands");
    // The arithmetic functions work on slots: the operands one after the other, then the result.
    std::vector<uint64_t> slots;
    ArithmeticOperands where;
    uint32_t* sources[] = {&where.a, &where.b, &where.c};
    for (size_t i = 1; i < instruction.operands.size() && i <= 3; ++i) {
        const Constant& value = m_constants.at(instruction.operands[i]);
        *sources[i - 1] = static_cast<uint32_t>(slots.size());
        slots.insert(slots.end(), value.slots.begin(), value.slots.end());
    }
    const uint32_t resultSlots = slotCount(*this, instruction.type);
    where.destination = static_cast<uint32_t>(slots.size());
    where.count = resultSlots;
    slots.resize(slots.size() + resultSlots);
    const Type& operandType = scalarOf(*this, typeOfConstant(instruction.operands[op == spv::OpSelect ? 2 : 1]));
    const ArithmeticFunction apply = arithmeticFunction(op, operandType, scalarOf(*this, instruction.type));
    if (!apply)
        throw UnsupportedError(std::string("OpSpecConstantOp ") + spv::OpToString(op));
    apply(slots.data(), where);
    m_constants[instruction.result] = {instruction.type, {slots.begin() + where.destination, slots.end()}};
}

void Module::readInFunction(const Instruction& instruction)
{
    switch (instruction.op) {
        case spv::OpFunction:
            m_current = &m_functions[instruction.result];
            m_current->id = instruction.result;
            m_current->returnType = instruction.type;
            return;
        case spv::OpFunctionParameter:
            m_current->parameters.push_back(instruction);
            return;
        case spv::OpFunctionEnd:
            m_current = nullptr;
            return;
        case spv::OpLabel:
            m_current->blocks.push_back({instruction.result, {}});
            return;
        case spv::OpLine:
        case spv::OpNoLine:
        case spv::OpNop:
            return;
        // Slang puts these into functions.
        case spv::OpConstantStringAMDX:
            m_strings[instruction.result] = literalString(instruction.operands);
            return;
        case spv::OpUndef:
            readConstant(instruction);
            return;
        default:
            break;
    }
    if (m_current->blocks.empty())
        throw RuleError("instruction outside of a block");
    m_current->blocks.back().instructions.push_back(instruction);
}

const Type& Module::type(uint32_t id) const
{
    const auto found = m_types.find(id);
    if (found == m_types.end())
        throw RuleError("id " + std::to_string(id) + " is not a type");
    return found->second;
}

const std::vector<uint64_t>* Module::constant(uint32_t id) const
{
    const auto found = m_constants.find(id);
    return found == m_constants.end() ? nullptr : &found->second.slots;
}

uint64_t Module::scalarConstant(uint32_t id) const
{
    const std::vector<uint64_t>* value = constant(id);
    if (!value || value->size() != 1)
        throw RuleError("id " + std::to_string(id) + " is not a scalar constant");
    return (*value)[0];
}

const std::string& Module::string(uint32_t id) const
{
    const auto found = m_strings.find(id);
    if (found == m_strings.end())
        throw RuleError("id " + std::to_string(id) + " is not a string constant");
    return found->second;
}

const Decoration* Module::decoration(uint32_t id, spv::Decoration kind) const
{
    const auto found = m_decorations.find(id);
    return found == m_decorations.end() ? nullptr : find(found->second, kind);
}

const Decoration* Module::memberDecoration(uint32_t id, uint32_t member, spv::Decoration kind) const
{
    const auto found = m_memberDecorations.find({id, member});
    return found == m_memberDecorations.end() ? nullptr : find(found->second, kind);
}

std::optional<uint32_t> Module::decorationConstant(uint32_t id, spv::Decoration kind) const
{
    const Decoration* found = decoration(id, kind);
    if (!found)
        return std::nullopt;
    return static_cast<uint32_t>(scalarConstant(found->operands[0]));
}

const EntryPoint& Module::entryPoint(const std::string& name) const
{
    const auto found = m_entryPoints.find(name);
    if (found == m_entryPoints.end())
        throw RuleError("no entry point " + name);
    return found->second;
}

const ExecutionMode* Module::mode(uint32_t function, spv::ExecutionMode mode) const
{
    const auto found = m_modes.find(function);
    if (found == m_modes.end())
        return nullptr;
    for (const ExecutionMode& item : found->second)
        if (item.mode == mode)
            return &item;
    return nullptr;
}

const ModuleVariable* Module::variable(uint32_t id) const
{
    for (const ModuleVariable& item : m_variables)
        if (item.id == id)
            return &item;
    return nullptr;
}

const Function& Module::function(uint32_t id) const
{
    const auto found = m_functions.find(id);
    if (found == m_functions.end())
        throw RuleError("id " + std::to_string(id) + " is not a function");
    return found->second;
}

std::optional<std::array<uint32_t, 3>> Module::workgroupSizeConstant() const
{
    for (const auto& [id, value] : m_constants) {
        const Decoration* builtIn = decoration(id, spv::DecorationBuiltIn);
        if (!builtIn || builtIn->operands[0] != spv::BuiltInWorkgroupSize || value.slots.size() != 3)
            continue;
        std::array<uint32_t, 3> size{};
        for (size_t i = 0; i < 3; ++i)
            size[i] = static_cast<uint32_t>(value.slots[i]);
        return size;
    }
    return std::nullopt;
}

bool Module::usesCapability(spv::Capability capability) const
{
    for (spv::Capability item : m_capabilities)
        if (item == capability)
            return true;
    return false;
}

}  // namespace millrace::oracle
