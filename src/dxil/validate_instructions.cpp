// SPDX-License-Identifier: Apache-2.0
// Instructions that are no operations of DXIL.
#include <algorithm>

#include "dxil/validator.h"

namespace millrace::dxil {

namespace {

constexpr uint32_t kGroupShared = 3;
constexpr uint32_t kNodeRecord = 6;

// Undef or null as one operand among others, with its type.
std::string operandText(const Value& value)
{
    const std::string type = value.type ? value.type->text() : "";
    switch (value.kind) {
        case Value::Kind::Int:
            return type + " " + std::to_string(value.bits);
        case Value::Kind::Undef:
            return type + " undef";
        case Value::Kind::Null:
            return type + " zeroinitializer";
        case Value::Kind::Global:
            return type + " @" + value.global->name;
        case Value::Kind::Instruction:
        case Value::Kind::Argument:
            return type + (value.text.empty() || value.op == Op::Other ? "" : " %" + value.text);
        default:
            return type;
    }
}

std::string instructionText(const Value& i)
{
    std::string out = i.text.empty() || i.op == Op::Other ? "" : "%" + i.text + " = ";
    out += i.op == Op::Other && !i.text.empty() ? i.text : opText(i.op);
    if (i.function)
        out += " " + i.type->text() + " " + i.function->name;
    else if (i.elementType)
        out += " " + i.elementType->text();
    else if (!i.type->isVoid())
        out += " " + i.type->text();
    std::string operands;
    for (const Value* operand : i.operands)
        operands += (operands.empty() ? "" : ", ") + operandText(*operand);
    return operands.empty() ? out : out + " (" + operands + ")";
}

bool isVectorOnly(Op op)
{
    return op == Op::ExtractElement || op == Op::InsertElement || op == Op::ShuffleVector;
}

}  // namespace

std::string Validator::place() const
{
    if (!m_function || !m_instruction)
        return m_function ? m_function->name : "";
    const Block* block = m_instruction->parent;
    const auto at = std::ranges::find(block->instructions, m_instruction) - block->instructions.begin();
    return m_function->name + ", block " + std::to_string(block->number) + ", instruction " + std::to_string(at) +
           ": " + instructionText(*m_instruction);
}

bool Validator::isAllowed(const Value& i)
{
    const bool isLoose =
        isLibrary() || m_container.kind == ShaderKind::Mesh || m_container.kind == ShaderKind::Amplification;
    if (i.op == Op::Unreachable)
        return isLibrary();
    if (isVectorOnly(i.op))
        return isLoose || !isBefore(9);
    return i.op != Op::Other && i.op != Op::Freeze && i.op != Op::FNeg && i.op != Op::InsertValue;
}

// An undefined value may be what others are inserted into, what is not chosen, or what is stored.
void Validator::checkUndef(const Value& i)
{
    const auto isLegal = [&](const Value* operand) {
        switch (i.op) {
            case Op::Phi:
                return true;
            case Op::InsertElement:
            case Op::Store:
                return operand == i.operands[0];
            case Op::ShuffleVector:
                return operand == i.operands[1];
            default:
                return false;
        }
    };
    for (const Value* operand : i.operands) {
        const bool isExpression = operand->kind == Value::Kind::Instruction && !operand->parent;
        const bool hidesOne = isExpression && std::ranges::any_of(operand->operands, &Value::isUndef);
        if (hidesOne || (operand->isUndef() && !isLegal(operand)))
            report("INSTR.NOREADINGUNINITIALIZED", "Instructions should not read uninitialized value.");
    }
}

// What an address leads to; constant ones must stay inside.
void Validator::checkAddress(const Value& i)
{
    const Type* type = i.elementType;
    uint64_t offset = 0;
    bool isConstant = true;
    const auto indexOf = [&](size_t o) {
        isConstant = isConstant && i.operands[o]->isConstantInt();
        return i.operands[o]->isConstantInt() ? i.operands[o]->bits : 0;
    };
    if (i.operands.size() > 1)
        offset = indexOf(1) * sizeOf(*type);
    for (size_t o = 2; o < i.operands.size(); ++o) {
        const uint64_t index = indexOf(o);
        if (type->isStruct()) {
            const size_t member = std::min<size_t>(static_cast<size_t>(index), type->members.size() - 1);
            uint64_t at = 0;
            for (size_t m = 0; m <= member; ++m) {
                at = (at + alignOf(*type->members[m]) - 1) / alignOf(*type->members[m]) * alignOf(*type->members[m]);
                at += m < member ? sizeOf(*type->members[m]) : 0;
            }
            offset += at;
            type = type->members[member];
        } else if (type->isArray() || type->isVector()) {
            type = type->element;
            offset += index * sizeOf(*type);
        }
    }
    if (!checkType(*type))
        return;
    if (isConstant && offset + sizeOf(*type) > sizeOf(*i.elementType))
        report("INSTR.INBOUNDSACCESS", "Access to out-of-bounds memory is disallowed.");
}

// Pointers to groupshared memory must say which variable they lead to.
void Validator::checkSharedPointer(const Value& i)
{
    if (!i.type->isPointer() || i.type->addressSpace != kGroupShared)
        return;
    const Value* root = &i;
    while (root->kind == Value::Kind::Instruction && (root->op == Op::GetElementPtr || root->op == Op::BitCast))
        root = root->operands[0];
    if (root->kind != Value::Kind::Global) {
        report("INSTR.FAILTORESLOVETGSMPOINTER",
               "TGSM pointers must originate from an unambiguous TGSM global variable.");
    }
}

void Validator::checkDivision(const Value& i)
{
    if (i.operands[1]->isConstantInt() && i.operands[1]->bits == 0) {
        report(i.op == Op::SDiv ? "INSTR.NOIDIVBYZERO" : "INSTR.NOUDIVBYZERO",
               i.op == Op::SDiv ? "No signed integer division by zero." : "No unsigned integer division by zero.");
    }
}

void Validator::checkAtomic(const Value& i)
{
    const Value* pointer = i.operands[0];
    const Type& type = *i.operands[1]->type;
    if (type.isInt(64) && isBefore(6)) {
        report("SM.OPCODEININVALIDFUNCTION",
               "opcode '64-bit atomic operations' should only be used in 'Shader Model 6.6+'.");
    }
    if (pointer->type->addressSpace != kGroupShared && pointer->type->addressSpace != kNodeRecord) {
        report("INSTR.ATOMICOPNONGROUPSHAREDORRECORD",
               "Non-groupshared or node record destination to atomic operation.");
    }
    while (pointer->kind == Value::Kind::Instruction &&
           (pointer->op == Op::GetElementPtr || pointer->op == Op::BitCast))
        pointer = pointer->operands[0];
    if (pointer->kind == Value::Kind::Global && pointer->global->isConstant)
        report("INSTR.ATOMICCONST", "Constant destination to atomic.");
}

void Validator::checkExtractValue(const Value& i)
{
    const Value& from = *i.operands[0];
    if (!from.isInstruction(Op::CompareExchange) && !isOperationStruct(*from.type)) {
        report("INSTR.EXTRACTVALUE",
               "ExtractValue should only be used on dxil struct types and cmpxchg: '" + from.type->text() + "'.");
    }
}

void Validator::checkInstruction(const Value& i)
{
    if (!isAllowed(i)) {
        report("INSTR.ALLOWED", "Instructions must be of an allowed type.");
        return;
    }
    checkValueType(*i.type);
    if (i.op == Op::Call) {
        checkCall(i);
        return;
    }
    checkUndef(i);
    for (const Value* operand : i.operands) {
        if (operand->type && operand->type->isInt(8)) {
            report(
                "TYPES.I8",
                "I8 can only be used as immediate value for intrinsic or as i8* via bitcast by lifetime intrinsics.");
        } else if (operand->type && operand->type->isInt()) {
            checkIntWidth(*operand->type);
        }
    }
    if (i.type->isInt())
        checkIntWidth(*i.type);
    switch (i.op) {
        case Op::Alloca:
            checkType(*i.elementType);
            break;
        case Op::Load:
            checkType(*i.type);
            break;
        case Op::Store:
            checkType(*i.operands[0]->type);
            break;
        case Op::GetElementPtr:
            checkAddress(i);
            break;
        case Op::SDiv:
        case Op::UDiv:
            checkDivision(i);
            break;
        case Op::AtomicRmw:
        case Op::CompareExchange:
            checkAtomic(i);
            break;
        case Op::ExtractValue:
            checkExtractValue(i);
            break;
        default:
            break;
    }
    checkSharedPointer(i);
}

}  // namespace millrace::dxil
