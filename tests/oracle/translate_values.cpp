// SPDX-License-Identifier: Apache-2.0
#include "oracle/translator.h"

namespace millrace::oracle {

namespace {

// From `count` numbers of c bits to numbers of d bits.
void repack(uint64_t* slots, const ArithmeticOperands& where)
{
    const uint32_t bits = where.count * where.c;
    for (uint32_t at = 0; at < bits; at += where.d) {
        uint64_t value = 0;
        for (uint32_t done = 0; done < where.d;) {
            const uint32_t bit = at + done;
            const uint32_t inside = bit % where.c;
            const uint32_t take = std::min(where.c - inside, where.d - done);
            value |= (slots[where.a + bit / where.c] >> inside & widthMask(take)) << done;
            done += take;
        }
        slots[where.destination + at / where.d] = value;
    }
}

}  // namespace

bool Translator::translateValue(const Instruction& instruction)
{
    return translateComposite(instruction) || translateMatrix(instruction) || translateArithmetic(instruction);
}

// Slots, relative to those of the whole value, and type of a part of a composite.
std::pair<uint32_t, uint32_t> Translator::part(uint32_t type, std::span<const uint32_t> indices) const
{
    uint32_t slot = 0;
    for (uint32_t index : indices) {
        const Type& whole = m_module.type(type);
        if (whole.kind == TypeKind::Struct) {
            for (uint32_t i = 0; i < index; ++i)
                slot += slotCount(m_module, whole.members.at(i));
            type = whole.members.at(index);
        } else {
            if (index >= whole.count)
                throw RuleError("composite index out of range");
            slot += index * slotCount(m_module, whole.element);
            type = whole.element;
        }
    }
    return {slot, type};
}

bool Translator::translateComposite(const Instruction& instruction)
{
    const auto operands = instruction.operands;
    switch (instruction.op) {
        case spv::OpCompositeConstruct:
            translateConstruct(instruction);
            return true;
        case spv::OpCompositeExtract: {
            const auto [slot, type] = part(typeOf(operands[0]), operands.subspan(1));
            emitCopy(slotOf(instruction.result), slotOf(operands[0]) + slot, slotCount(m_module, type));
            return true;
        }
        case spv::OpCompositeInsert: {
            const auto [slot, type] = part(instruction.type, operands.subspan(2));
            emitCopy(slotOf(instruction.result), slotOf(operands[1]), slotCount(m_module, instruction.type));
            emitCopy(slotOf(instruction.result) + slot, slotOf(operands[0]), slotCount(m_module, type));
            return true;
        }
        case spv::OpVectorShuffle:
            translateShuffle(instruction);
            return true;
        case spv::OpVectorExtractDynamic:
        case spv::OpVectorInsertDynamic: {
            const bool insert = instruction.op == spv::OpVectorInsertDynamic;
            ArithmeticOperands where;
            where.destination = slotOf(instruction.result);
            where.a = slotOf(operands[0]);
            where.b = slotOf(operands[1]);
            where.c = insert ? slotOf(operands[2]) : 0;
            where.count = m_module.type(typeOf(operands[0])).count;
            emit(insert ? Code::InsertDynamic : Code::ExtractDynamic).where = where;
            return true;
        }
        case spv::OpCopyObject:
        case spv::OpCopyLogical:
            emitCopy(slotOf(instruction.result), slotOf(operands[0]), slotCount(m_module, instruction.type));
            return true;
        case spv::OpSelect:
            translateSelect(instruction);
            return true;
        case spv::OpBitcast:
        case spv::OpConvertUToPtr:
        case spv::OpConvertPtrToU:
            translateBitcast(instruction);
            return true;
        default:
            return false;
    }
}

void Translator::translateConstruct(const Instruction& instruction)
{
    uint32_t slot = slotOf(instruction.result);
    for (uint32_t operand : instruction.operands) {
        const uint32_t size = slotCount(m_module, typeOf(operand));
        emitCopy(slot, slotOf(operand), size);
        slot += size;
    }
}

void Translator::translateShuffle(const Instruction& instruction)
{
    const uint32_t left = slotOf(instruction.operands[0]);
    const uint32_t right = slotOf(instruction.operands[1]);
    const uint32_t leftCount = m_module.type(typeOf(instruction.operands[0])).count;
    const uint32_t destination = slotOf(instruction.result);
    for (uint32_t i = 2; i < instruction.operands.size(); ++i) {
        const uint32_t from = instruction.operands[i];
        if (from != ~0u)  // undefined component
            emitCopy(destination + i - 2, from < leftCount ? left + from : right + from - leftCount, 1);
    }
}

void Translator::translateSelect(const Instruction& instruction)
{
    const bool perComponent = m_module.type(typeOf(instruction.operands[0])).kind == TypeKind::Vector;
    const Type& any = m_module.type(typeOf(instruction.operands[0]));
    const ArithmeticFunction select = arithmeticFunction(spv::OpSelect, any, any);
    const uint32_t condition = slotOf(instruction.operands[0]);
    const uint32_t size = slotCount(m_module, instruction.type);
    ArithmeticOperands where{slotOf(instruction.result),      condition, slotOf(instruction.operands[1]),
                             slotOf(instruction.operands[2]), 0,         1};
    for (uint32_t i = 0; i < size; ++i) {
        emitApply(select, where);
        ++where.destination, ++where.b, ++where.c;
        where.a += perComponent;
    }
}

void Translator::translateBitcast(const Instruction& instruction)
{
    const uint32_t source = slotOf(instruction.operands[0]);
    const uint32_t destination = slotOf(instruction.result);
    const Type& from = m_module.type(typeOf(instruction.operands[0]));
    const Type& to = m_module.type(instruction.type);
    if (from.kind == TypeKind::Pointer && to.kind == TypeKind::Pointer) {
        emitCopy(destination, source, 2);
        return;
    }
    // A device address is a pointer without a block; its second slot is the address.
    const bool fromPointer = from.kind == TypeKind::Pointer;
    const bool toPointer = to.kind == TypeKind::Pointer;
    if (toPointer)
        emitCopy(destination, zeroSlot(), 1);
    ArithmeticOperands where;
    where.destination = destination + toPointer;
    where.a = source + fromPointer;
    where.count = fromPointer ? 1 : slotCount(m_module, from.id);
    where.c = fromPointer ? 64 : scalarOf(m_module, from.id).width;
    where.d = toPointer ? 64 : scalarOf(m_module, to.id).width;
    emitApply(&repack, where);
}

bool Translator::translateMatrix(const Instruction& instruction)
{
    const auto operands = instruction.operands;
    const Type& scalar = instruction.type ? scalarOf(m_module, instruction.type) : m_module.type(typeOf(operands[0]));
    const auto slots = [&](size_t operand) { return slotOf(operands[operand]); };
    switch (instruction.op) {
        case spv::OpVectorTimesScalar:
        case spv::OpMatrixTimesScalar: {
            ArithmeticOperands where{slotOf(instruction.result), slots(0), slots(1), 0, 0, 1};
            const uint32_t size = slotCount(m_module, instruction.type);
            for (uint32_t i = 0; i < size; ++i, ++where.destination, ++where.a)
                emitApply(arithmeticFunction(spv::OpFMul, scalar, scalar), where);
            return true;
        }
        case spv::OpMatrixTimesVector:
        case spv::OpMatrixTimesMatrix: {
            const Type& matrix = m_module.type(typeOf(operands[0]));
            const uint32_t rows = m_module.type(matrix.element).count;
            const uint32_t results =
                instruction.op == spv::OpMatrixTimesMatrix ? m_module.type(instruction.type).count : 1;
            ArithmeticOperands where{slotOf(instruction.result), slots(0), slots(1), matrix.count, 0, rows};
            for (uint32_t i = 0; i < results; ++i, where.destination += rows, where.b += matrix.count)
                emitApply(matrixTimesVectorFunction(scalar), where);
            return true;
        }
        case spv::OpVectorTimesMatrix: {
            const uint32_t columns = m_module.type(instruction.type).count;
            const uint32_t rows = m_module.type(typeOf(operands[0])).count;
            ArithmeticOperands where{slotOf(instruction.result), slots(0), slots(1), 0, 0, rows};
            for (uint32_t i = 0; i < columns; ++i, ++where.destination, where.b += rows)
                emitApply(reductionFunction(spv::OpDot, scalar), where);
            return true;
        }
        case spv::OpTranspose: {
            const uint32_t columns = m_module.type(instruction.type).count;
            const uint32_t rows = slotCount(m_module, instruction.type) / columns;
            for (uint32_t i = 0; i < columns; ++i)
                for (uint32_t j = 0; j < rows; ++j)
                    emitCopy(slotOf(instruction.result) + i * rows + j, slots(0) + j * columns + i, 1);
            return true;
        }
        default:
            return false;
    }
}

void Translator::translateExtended(const Instruction& instruction)
{
    const auto operands = instruction.operands;
    const std::string& set = m_module.importedSet(operands[0]);
    if (set.rfind("NonSemantic.", 0) == 0)
        return;
    if (set != "GLSL.std.450")
        throw UnsupportedError("instruction set " + set);
    ArithmeticOperands where;
    uint32_t* sources[] = {&where.a, &where.b, &where.c};
    for (size_t i = 2; i < operands.size() && i < 5; ++i)
        *sources[i - 2] = slotOf(operands[i]);
    where.destination = slotOf(instruction.result);
    where.count = slotCount(m_module, typeOf(operands[2]));
    const Type& scalar = scalarOf(m_module, typeOf(operands[2]));
    ArithmeticFunction function = glslVectorFunction(operands[1], scalar);
    if (!function)
        function = glslFunction(operands[1], scalar);
    if (!function)
        throw UnsupportedError("GLSL.std.450 instruction " + std::to_string(operands[1]));
    emitApply(function, where);
}

bool Translator::translateArithmetic(const Instruction& instruction)
{
    if (instruction.op == spv::OpExtInst) {
        translateExtended(instruction);
        return true;
    }
    const auto operands = instruction.operands;
    if (!instruction.result || !instruction.type || operands.empty())
        return false;
    const uint32_t operandType = typeOf(operands[0]);
    const Type& operandScalar = scalarOf(m_module, operandType);
    const Type& resultType = m_module.type(instruction.type);
    ArithmeticOperands where;
    ArithmeticFunction function = nullptr;
    where.count = slotCount(m_module, operandType);
    if (resultType.kind == TypeKind::Struct) {
        function = extendedFunction(instruction.op, operandScalar);
    } else {
        function = reductionFunction(instruction.op, operandScalar);
        if (!function)
            function = arithmeticFunction(instruction.op, operandScalar, scalarOf(m_module, instruction.type));
    }
    if (!function)
        return false;
    where.destination = slotOf(instruction.result);
    uint32_t* sources[] = {&where.a, &where.b, &where.c, &where.d};
    for (size_t i = 0; i < operands.size() && i < 4; ++i)
        *sources[i] = slotOf(operands[i]);
    emitApply(function, where);
    return true;
}

}  // namespace millrace::oracle
