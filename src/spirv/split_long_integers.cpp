// SPDX-License-Identifier: Apache-2.0
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>

#include "spirv/edit.h"
#include "spirv/id_set.h"
#include "spirv/long_arithmetic.h"

namespace millrace::spirv {

namespace {

constexpr uint32_t kLeastVersion = 0x00010500;  // pointers from two words, selections by one condition

class Splitter {
public:
    explicit Splitter(Module& module) : m_module(module), m_math(module) {}

    Status run()
    {
        m_pairType = m_module.getVectorType(m_math.wordType(), 2);
        if (!findTypes() || !findValues())
            return m_error;
        splitConstants();
        for (Function& function : m_module.functions)
            rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) { rewrite(i, out); });
        if (m_failed)
            return m_error;
        replaceAll();
        m_module.removeCapability(spv::Capability::Int64);
        m_module.removeCapability(spv::Capability::Int64Atomics);
        m_module.version = std::max(m_module.version, kLeastVersion);
        orderGlobals(m_module);
        return {};
    }

private:
    bool fail(std::string message, Id where)
    {
        if (!m_failed)
            m_error = Diagnostic{"spirv", "id " + std::to_string(where.value), std::move(message)};
        m_failed = true;
        return false;
    }

    bool isLongType(Id type) const { return m_longTypes.contains(type); }
    bool isLong(Id value) const { return m_longs.contains(value); }

    bool findTypes()
    {
        for (const Instruction& i : m_module.section(Section::Globals)) {
            if (i.op == spv::Op::OpTypeInt && i.literal(0) == 64) {
                m_longTypes.insert(i.result);
                m_replaced[i.result.value] = m_pairType.value;
            }
            const bool isVector = i.op == spv::Op::OpTypeVector && isLongType(i.id(0));
            if (isVector)
                return fail("a vector of 64-bit integers", i.result);
        }
        return true;
    }

    bool findValues()
    {
        const Module& module = m_module;
        module.forEachInstruction([&](const Instruction& i) {
            if (i.type && isLongType(i.type))
                m_longs.insert(i.result);
        });
        for (const Instruction& i : module.section(Section::Globals)) {
            const bool isOpen = i.op == spv::Op::OpSpecConstant || i.op == spv::Op::OpSpecConstantOp ||
                                i.op == spv::Op::OpSpecConstantComposite;
            bool isAboutLong = i.type && isLongType(i.type);
            i.forEachUse([&](Id use) { isAboutLong |= isLong(use); });
            if (isOpen && isAboutLong)
                return fail("a specialization constant of 64 bits without its value", i.result);
            if (i.op == spv::Op::OpConstant && i.type == m_math.wordType())
                m_math.know(i.result, i.words[0]);
        }
        return true;
    }

    // Those that lengths of arrays are become words.
    void splitConstants()
    {
        // By value: constants are added meanwhile.
        const InstructionList globals = m_module.section(Section::Globals);
        for (size_t g = 0; g < globals.size(); ++g) {
            const Instruction& i = globals[g];
            if (i.op == spv::Op::OpTypeArray && isLong(i.id(1))) {
                const Id length = m_math.constant(m_module.findDefinition(i.id(1))->words[0]);
                m_module.section(Section::Globals)[g].setId(1, length);
            }
            const bool isNull = i.op == spv::Op::OpConstantNull;
            if (!i.type || !isLongType(i.type) || (i.op != spv::Op::OpConstant && !isNull))
                continue;
            const LongWords words{m_math.constant(isNull ? 0 : i.words[0]), m_math.constant(isNull ? 0 : i.words[1])};
            m_words[i.result.value] = words;
            m_module.section(Section::Globals)[g] =
                instruction(spv::Op::OpConstantComposite, i.type, i.result).add(words.low).add(words.high);
        }
    }

    // What stands for a value may stand for another one in turn.
    void replaceAll()
    {
        for (auto& [from, to] : m_replaced)
            for (auto next = m_replaced.find(to); next != m_replaced.end(); next = m_replaced.find(to))
                to = next->second;
        std::erase_if(m_module.section(Section::Globals), [&](const Instruction& i) { return isLongType(i.result); });
        const auto isAboutType = [&](const Instruction& i) { return i.isId(0) && isLongType(i.id(0)); };
        std::erase_if(m_module.section(Section::DebugNames), isAboutType);
        m_module.removeDecorations(isAboutType);
        std::erase_if(m_module.section(Section::DebugNames),
                      [&](const Instruction& i) { return m_replaced.contains(i.id(0).value); });
        m_module.replaceUses(m_replaced);
    }

    LongWords split(Emitter& out, Id value)
    {
        const auto known = m_words.find(value.value);
        if (known != m_words.end())
            return known->second;
        const LongWords words{m_module.newId(), m_module.newId()};
        out.keep(instruction(spv::Op::OpCompositeExtract, m_math.wordType(), words.low).add(value).add(0u));
        out.keep(instruction(spv::Op::OpCompositeExtract, m_math.wordType(), words.high).add(value).add(1u));
        // Not remembered: this block may be one of several that see the value.
        return words;
    }

    void join(Emitter& out, const Instruction& i, LongWords words)
    {
        m_words[i.result.value] = words;
        out.keep(instruction(spv::Op::OpCompositeConstruct, i.type, i.result).add(words.low).add(words.high));
    }

    // `value` is the instruction's result.
    void replace(const Instruction& i, Id value) { m_replaced[i.result.value] = value.value; }

    // Of the shift's count, or an index.
    Id lowWord(Emitter& out, Id value) { return isLong(value) ? split(out, value).low : value; }

    uint32_t widthOf(Id type) const
    {
        const Instruction* definition = m_module.findDefinition(type);
        return definition && definition->op == spv::Op::OpTypeInt ? definition->literal(0) : 0;
    }

    void rewrite(const Instruction& i, Emitter& out)
    {
        bool isAboutLong = i.type && isLongType(i.type);
        for (size_t o = 0; o < i.operandCount(); ++o)
            isAboutLong |= i.isId(o) && isLong(i.id(o));
        if (!isAboutLong || isCarried(i.op))
            out.keep(i);
        else if (!rewriteArithmetic(i, out) && !rewriteComparison(i, out) && !rewriteConversion(i, out) &&
                 !rewriteIndices(i, out) && !rewriteExtended(i, out))
            fail(opName(i.op) + " of a 64-bit integer", i.result);
    }

    // Two words fare as one long does.
    static bool isCarried(spv::Op op)
    {
        switch (op) {
            case spv::Op::OpLoad:
            case spv::Op::OpStore:
            case spv::Op::OpVariable:
            case spv::Op::OpUndef:
            case spv::Op::OpPhi:
            case spv::Op::OpSelect:
            case spv::Op::OpFunctionCall:
            case spv::Op::OpReturnValue:
            case spv::Op::OpCompositeConstruct:
            case spv::Op::OpCompositeExtract:
            case spv::Op::OpCompositeInsert:
            case spv::Op::OpCopyLogical:
            case spv::Op::OpCopyObject:
            case spv::Op::OpGroupNonUniformBroadcast:
            case spv::Op::OpGroupNonUniformBroadcastFirst:
            case spv::Op::OpGroupNonUniformShuffle:
            case spv::Op::OpGroupNonUniformShuffleXor:
            case spv::Op::OpGroupNonUniformShuffleUp:
            case spv::Op::OpGroupNonUniformShuffleDown:
            case spv::Op::OpGroupNonUniformAllEqual:
                return true;
            default:
                return false;
        }
    }

    bool rewriteArithmetic(const Instruction& i, Emitter& out)
    {
        const auto operand = [&](size_t o) { return split(out, i.id(o)); };
        switch (i.op) {
            case spv::Op::OpIAdd:
                join(out, i, m_math.add(out, operand(0), operand(1)));
                return true;
            case spv::Op::OpISub:
                join(out, i, m_math.subtract(out, operand(0), operand(1)));
                return true;
            case spv::Op::OpSNegate:
                join(out, i, m_math.subtract(out, {m_math.constant(0), m_math.constant(0)}, operand(0)));
                return true;
            case spv::Op::OpIMul:
                join(out, i, m_math.multiply(out, operand(0), operand(1)));
                return true;
            case spv::Op::OpUDiv:
            case spv::Op::OpUMod:
                return rewriteDivision(i, out);
            case spv::Op::OpShiftLeftLogical:
            case spv::Op::OpShiftRightLogical:
            case spv::Op::OpShiftRightArithmetic:
                rewriteShift(i, out);
                return true;
            case spv::Op::OpBitwiseAnd:
            case spv::Op::OpBitwiseOr:
            case spv::Op::OpBitwiseXor:
                join(out, i, m_math.bitwise(out, i.op, operand(0), operand(1)));
                return true;
            case spv::Op::OpNot:
                join(out, i, m_math.complement(out, operand(0)));
                return true;
            default:
                return false;
        }
    }

    void rewriteShift(const Instruction& i, Emitter& out)
    {
        const Id count = lowWord(out, i.id(1));
        if (!isLong(i.result)) {
            Instruction narrow = i;
            narrow.setId(1, count);
            out.keep(std::move(narrow));
            return;
        }
        const LongWords base = split(out, i.id(0));
        join(out, i,
             i.op == spv::Op::OpShiftLeftLogical
                 ? m_math.shiftLeft(out, base, count)
                 : m_math.shiftRight(out, base, count, i.op == spv::Op::OpShiftRightArithmetic));
    }

    // By powers of two alone.
    bool rewriteDivision(const Instruction& i, Emitter& out)
    {
        const LongWords divisor = split(out, i.id(1));
        uint32_t low = 0, high = 1;
        if (!m_math.isKnown(divisor.low, low) || !m_math.isKnown(divisor.high, high) || high != 0 ||
            !std::has_single_bit(low))
            return false;
        const LongWords dividend = split(out, i.id(0));
        const Id shift = m_math.constant(static_cast<uint32_t>(std::countr_zero(low)));
        const LongWords mask{m_math.constant(low - 1), m_math.constant(0)};
        join(out, i,
             i.op == spv::Op::OpUDiv ? m_math.shiftRight(out, dividend, shift, false)
                                     : m_math.bitwise(out, spv::Op::OpBitwiseAnd, dividend, mask));
        return true;
    }

    bool rewriteComparison(const Instruction& i, Emitter& out)
    {
        const auto less = [&](bool isSwapped, bool isSigned) {
            const LongWords a = split(out, i.id(isSwapped ? 1 : 0));
            const LongWords b = split(out, i.id(isSwapped ? 0 : 1));
            return m_math.isLess(out, a, b, isSigned);
        };
        switch (i.op) {
            case spv::Op::OpIEqual:
                replace(i, m_math.isEqual(out, split(out, i.id(0)), split(out, i.id(1))));
                return true;
            case spv::Op::OpINotEqual:
                replace(i, m_math.negate(out, m_math.isEqual(out, split(out, i.id(0)), split(out, i.id(1)))));
                return true;
            case spv::Op::OpULessThan:
            case spv::Op::OpSLessThan:
                replace(i, less(false, i.op == spv::Op::OpSLessThan));
                return true;
            case spv::Op::OpUGreaterThan:
            case spv::Op::OpSGreaterThan:
                replace(i, less(true, i.op == spv::Op::OpSGreaterThan));
                return true;
            case spv::Op::OpULessThanEqual:
            case spv::Op::OpSLessThanEqual:
                replace(i, m_math.negate(out, less(true, i.op == spv::Op::OpSLessThanEqual)));
                return true;
            case spv::Op::OpUGreaterThanEqual:
            case spv::Op::OpSGreaterThanEqual:
                replace(i, m_math.negate(out, less(false, i.op == spv::Op::OpSGreaterThanEqual)));
                return true;
            default:
                return false;
        }
    }

    bool rewriteConversion(const Instruction& i, Emitter& out)
    {
        switch (i.op) {
            case spv::Op::OpUConvert:
            case spv::Op::OpSConvert:
                return isLong(i.result) ? widen(i, out) : narrow(i, out);
            case spv::Op::OpBitcast:
                rewriteBitcast(i, out);
                return true;
            case spv::Op::OpConvertUToPtr:
            case spv::Op::OpConvertPtrToU: {
                Instruction cast = i;
                cast.op = spv::Op::OpBitcast;
                out.keep(std::move(cast));
                return true;
            }
            case spv::Op::OpConvertUToF:
                return convertToFloat(i, out);
            default:
                return false;
        }
    }

    bool widen(const Instruction& i, Emitter& out)
    {
        if (isLong(i.id(0))) {
            join(out, i, split(out, i.id(0)));
            return true;
        }
        const Id from = m_module.typeOf(i.id(0));
        const uint32_t width = widthOf(from);
        if (width == 0 || width > 32)
            return false;
        const bool isSigned = i.op == spv::Op::OpSConvert;
        Id low = i.id(0);
        if (width < 32) {
            const Id type = isSigned ? m_module.getIntType(32, true) : m_math.wordType();
            low = out.emit(i.op, type, {low});
            low = isSigned ? out.emit(spv::Op::OpBitcast, m_math.wordType(), {low}) : low;
        } else if (from != m_math.wordType()) {
            low = out.emit(spv::Op::OpBitcast, m_math.wordType(), {low});
        }
        const Id high = isSigned
                            ? out.emit(spv::Op::OpShiftRightArithmetic, m_math.wordType(), {low, m_math.constant(31)})
                            : m_math.constant(0);
        join(out, i, {low, high});
        return true;
    }

    bool narrow(const Instruction& i, Emitter& out)
    {
        const Id low = split(out, i.id(0)).low;
        const uint32_t width = widthOf(i.type);
        if (i.type == m_math.wordType())
            replace(i, low);
        else if (width > 0)
            out.keep(instruction(width == 32 ? spv::Op::OpBitcast : i.op, i.type, i.result).add(low));
        return width > 0;
    }

    void rewriteBitcast(const Instruction& i, Emitter& out)
    {
        const Id from = m_module.typeOf(i.id(0));
        const bool isLongOrPair = isLongType(from) || from == m_pairType;
        if (isLongOrPair && (isLong(i.result) || i.type == m_pairType)) {
            const auto known = m_words.find(i.id(0).value);
            if (known != m_words.end())
                m_words[i.result.value] = LongWords(known->second);
            replace(i, i.id(0));
        } else {
            out.keep(i);
        }
    }

    bool convertToFloat(const Instruction& i, Emitter& out)
    {
        const Instruction* type = m_module.findDefinition(i.type);
        if (!type || type->op != spv::Op::OpTypeFloat || type->literal(0) != 32)
            return false;
        constexpr uint32_t kTwoTo32 = 0x4f800000;
        const Id factor = m_module.newId();
        m_module.section(Section::Globals).push_back(instruction(spv::Op::OpConstant, i.type, factor).add(kTwoTo32));
        const LongWords words = split(out, i.id(0));
        const Id low = out.emit(spv::Op::OpConvertUToF, i.type, {words.low});
        const Id high = out.emit(spv::Op::OpConvertUToF, i.type, {words.high});
        const Id product = out.emit(spv::Op::OpFMul, i.type, {high, factor});
        out.keep(instruction(spv::Op::OpFAdd, i.type, i.result).add(product).add(low));
        return true;
    }

    bool rewriteIndices(const Instruction& i, Emitter& out)
    {
        if (i.op != spv::Op::OpAccessChain && i.op != spv::Op::OpInBoundsAccessChain)
            return false;
        Instruction narrow = i;
        for (size_t o = 1; o < i.operandCount(); ++o)
            narrow.setId(o, lowWord(out, i.id(o)));
        out.keep(std::move(narrow));
        return true;
    }

    bool rewriteExtended(const Instruction& i, Emitter& out)
    {
        if (i.op != spv::Op::OpExtInst || !isLong(i.result))
            return false;
        const uint32_t number = i.literal(1);
        const bool isSigned = number == GLSLstd450SMin || number == GLSLstd450SMax || number == GLSLstd450SClamp;
        const bool isMin = number == GLSLstd450UMin || number == GLSLstd450SMin;
        const bool isMax = number == GLSLstd450UMax || number == GLSLstd450SMax;
        const bool isClamp = number == GLSLstd450UClamp || number == GLSLstd450SClamp;
        if (!isMin && !isMax && !isClamp)
            return false;
        const auto extreme = [&](bool smallest, LongWords a, LongWords b) {
            return m_math.select(out, m_math.isLess(out, a, b, isSigned), smallest ? a : b, smallest ? b : a);
        };
        const LongWords first = extreme(isMin, split(out, i.id(2)), split(out, i.id(3)));
        join(out, i, isClamp ? extreme(true, first, split(out, i.id(4))) : first);
        return true;
    }

    Module& m_module;
    LongArithmetic m_math;
    Id m_pairType;
    IdSet m_longTypes;
    IdSet m_longs;                                      // values
    std::unordered_map<uint32_t, LongWords> m_words;    // of values whose words dominate them
    std::unordered_map<uint32_t, uint32_t> m_replaced;  // types and values by others
    Diagnostic m_error;
    bool m_failed = false;
};

}  // namespace

Status splitLongIntegers(Module& module)
{
    return Splitter(module).run();
}

}  // namespace millrace::spirv
