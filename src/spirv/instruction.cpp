// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <spirv-tools/libspirv.h>

#include "spirv/module.h"

namespace millrace::spirv {

Id Instruction::id(size_t operand) const
{
    assert(isId(operand));
    return isId(operand) ? Id{words[operands[operand].first]} : Id{};
}

uint32_t Instruction::literal(size_t operand) const
{
    assert(operand < operands.size() && !isId(operand));
    return operand < operands.size() ? words[operands[operand].first] : 0;
}

std::string Instruction::string(size_t operand) const
{
    assert(operand < operands.size());
    if (operand >= operands.size())
        return {};
    // Bytes are packed from the low end of each word, whatever the host's byte order.
    const Operand& o = operands[operand];
    std::string out;
    out.reserve(size_t{o.count} * 4);
    for (size_t i = 0; i < size_t{o.count} * 4; ++i) {
        const char c = static_cast<char>(words[o.first + i / 4] >> (8 * (i % 4)) & 0xff);
        if (c == 0)
            break;
        out.push_back(c);
    }
    return out;
}

void Instruction::setId(size_t operand, Id id)
{
    assert(isId(operand));
    words[operands[operand].first] = id.value;
}

void Instruction::setLiteral(size_t operand, uint32_t value)
{
    assert(operand < operands.size() && operands[operand].kind == OperandKind::Literal);
    words[operands[operand].first] = value;
}

Instruction& Instruction::add(Id id)
{
    operands.push_back({OperandKind::Id, static_cast<uint16_t>(words.size()), 1});
    words.push_back(id.value);
    return *this;
}

Instruction& Instruction::add(uint32_t literal)
{
    operands.push_back({OperandKind::Literal, static_cast<uint16_t>(words.size()), 1});
    words.push_back(literal);
    return *this;
}

Instruction& Instruction::add(std::string_view string)
{
    const size_t count = string.size() / 4 + 1;
    const size_t first = words.size();
    operands.push_back({OperandKind::String, static_cast<uint16_t>(first), static_cast<uint16_t>(count)});
    words.resize(first + count, 0);
    for (size_t i = 0; i < string.size(); ++i)
        words[first + i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(string[i])) << (8 * (i % 4));
    return *this;
}

Instruction instruction(spv::Op op, Id type, Id result)
{
    Instruction out;
    out.op = op;
    out.type = type;
    out.result = result;
    return out;
}

bool isTerminator(spv::Op op)
{
    switch (op) {
        case spv::Op::OpBranch:
        case spv::Op::OpBranchConditional:
        case spv::Op::OpSwitch:
        case spv::Op::OpReturn:
        case spv::Op::OpReturnValue:
        case spv::Op::OpKill:
        case spv::Op::OpUnreachable:
        case spv::Op::OpTerminateInvocation:
        case spv::Op::OpIgnoreIntersectionKHR:
        case spv::Op::OpTerminateRayKHR:
        case spv::Op::OpEmitMeshTasksEXT:
            return true;
        default:
            return false;
    }
}

bool isExtendedInstruction(spv::Op op)
{
    return op == spv::Op::OpExtInst || op == spv::Op::OpExtInstWithForwardRefsKHR;
}

bool isSharedType(spv::Op op)
{
    switch (op) {
        case spv::Op::OpTypeVoid:
        case spv::Op::OpTypeBool:
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat:
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix:
        case spv::Op::OpTypePointer:
        case spv::Op::OpTypeFunction:
            return true;
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
        case spv::Op::OpTypeStruct:
        case spv::Op::OpTypeOpaque:
        case spv::Op::OpTypeNodePayloadArrayAMDX:
        case spv::Op::OpConstant:
        case spv::Op::OpVariable:
            return false;
        default:  // images and what vendors have
            return isType(op);
    }
}

bool isType(spv::Op op)
{
    // Vendors keep adding types; all of them are named so.
    const std::string_view name = spvOpcodeString(static_cast<uint32_t>(op));
    return op != spv::Op::OpTypeForwardPointer && name.starts_with("Type");
}

std::string opName(spv::Op op)
{
    return std::string("Op") + spvOpcodeString(static_cast<uint32_t>(op));
}

}  // namespace millrace::spirv
