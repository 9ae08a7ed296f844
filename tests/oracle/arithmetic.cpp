// SPDX-License-Identifier: Apache-2.0
#include "oracle/arithmetic.h"

#include <cmath>
#include <limits>

#include "oracle/layout.h"
#include "oracle/numbers.h"

namespace millrace::oracle {

namespace {

// Wrapping integer arithmetic is done in 64 bits; narrow operands would otherwise be promoted to signed int.
#define MR_WRAPPING(name, expression)                  \
    struct name {                                      \
        template <typename T>                          \
        static T apply(T left, T right)                \
        {                                              \
            [[maybe_unused]] const uint64_t a = left;  \
            [[maybe_unused]] const uint64_t b = right; \
            return static_cast<T>(expression);         \
        }                                              \
    };
MR_WRAPPING(Add, a + b)
MR_WRAPPING(Subtract, a - b)
MR_WRAPPING(Multiply, a* b)
MR_WRAPPING(And, a& b)
MR_WRAPPING(Or, a | b)
MR_WRAPPING(Xor, a ^ b)

#define MR_BINARY(name, expression)            \
    struct name {                              \
        template <typename T>                  \
        static T apply(T a, T b)               \
        {                                      \
            return static_cast<T>(expression); \
        }                                      \
    };
MR_BINARY(FAdd, a + b)
MR_BINARY(FSubtract, a - b)
MR_BINARY(FMultiply, a* b)
MR_BINARY(FDivide, a / b)
MR_BINARY(FRemainder, std::fmod(a, b))
MR_BINARY(FModulo, a - b * std::floor(a / b))

template <typename T>
T nonZero(T divisor)
{
    if (divisor == 0)
        throw RuleError("division by zero");
    return divisor;
}

struct Divide {
    template <typename T>
    static T apply(T a, T b)
    {
        if (std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1))
            throw RuleError("overflow in a division");
        return static_cast<T>(a / nonZero(b));
    }
};

struct Remainder {  // the sign of the dividend
    template <typename T>
    static T apply(T a, T b)
    {
        return b == static_cast<T>(-1) && std::is_signed_v<T> ? T{0} : static_cast<T>(a % nonZero(b));
    }
};

struct Modulo {  // the sign of the divisor
    template <typename T>
    static T apply(T a, T b)
    {
        const T rest = Remainder::apply(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
    }
};

template <typename T>
uint32_t checkedShift(uint64_t amount)
{
    if (amount >= sizeof(T) * 8)
        throw RuleError("shift by " + std::to_string(amount));
    return static_cast<uint32_t>(amount);
}

// The shift amount may have another width than the base: it is read as it is.
template <typename T, typename F>
void shift(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = Number<T>::put(
            F::template apply<T>(Number<T>::get(slots[where.a + i]), checkedShift<T>(slots[where.b + i])));
}

#define MR_SHIFT(name, expression)             \
    struct name {                              \
        template <typename T>                  \
        static T apply(T a, uint32_t b)        \
        {                                      \
            return static_cast<T>(expression); \
        }                                      \
    };
MR_SHIFT(ShiftLeft, static_cast<uint64_t>(a) << b)
MR_SHIFT(ShiftRight, a >> b)

#define MR_COMPARE(name, expression) \
    struct name {                    \
        template <typename T>        \
        static bool apply(T a, T b)  \
        {                            \
            return expression;       \
        }                            \
    };
MR_COMPARE(Equal, a == b)
MR_COMPARE(NotEqual, a != b)
MR_COMPARE(Less, a < b)
MR_COMPARE(LessEqual, a <= b)
MR_COMPARE(Greater, a > b)
MR_COMPARE(GreaterEqual, a >= b)
MR_COMPARE(OrderedNotEqual, a<b || a> b)
MR_COMPARE(UnorderedEqual, !(a < b || a > b))
MR_COMPARE(UnorderedLess, !(a >= b))
MR_COMPARE(UnorderedLessEqual, !(a > b))
MR_COMPARE(UnorderedGreater, !(a <= b))
MR_COMPARE(UnorderedGreaterEqual, !(a < b))
MR_COMPARE(LogicalAnd, (a & b) != 0)
MR_COMPARE(LogicalOr, (a | b) != 0)

#define MR_UNARY(name, expression)             \
    struct name {                              \
        template <typename T>                  \
        static T apply(T a)                    \
        {                                      \
            return static_cast<T>(expression); \
        }                                      \
    };
MR_UNARY(Negate, 0 - static_cast<uint64_t>(a))
MR_UNARY(FNegate, -a)
MR_UNARY(Not, ~static_cast<uint64_t>(a))
MR_UNARY(BitCount, std::popcount(a))

struct BitReverse {
    template <typename T>
    static T apply(T a)
    {
        uint64_t out = 0;
        for (uint32_t i = 0; i < sizeof(T) * 8; ++i)
            out |= static_cast<uint64_t>(a >> i & 1) << (sizeof(T) * 8 - 1 - i);
        return static_cast<T>(out);
    }
};

struct LogicalNot {
    static uint64_t apply(uint64_t a) { return !a; }
};
template <typename T>
void isNan(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = std::isnan(Number<T>::get(slots[where.a + i]));
}
template <typename T>
void isInf(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = std::isinf(Number<T>::get(slots[where.a + i]));
}

template <typename From, typename To>
void convert(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] =
            Number<To>::put(static_cast<typename Number<To>::Value>(Number<From>::get(slots[where.a + i])));
}

template <typename From>
ArithmeticFunction convertTo(const Type& to, bool toSigned)
{
    if (to.kind == TypeKind::Float)
        return to.width == 16 ? &convert<From, Half> : to.width == 32 ? &convert<From, float> : &convert<From, double>;
    switch (to.width) {
        case 8:
            return toSigned ? &convert<From, int8_t> : &convert<From, uint8_t>;
        case 16:
            return toSigned ? &convert<From, int16_t> : &convert<From, uint16_t>;
        case 32:
            return toSigned ? &convert<From, int32_t> : &convert<From, uint32_t>;
        default:
            return toSigned ? &convert<From, int64_t> : &convert<From, uint64_t>;
    }
}

ArithmeticFunction conversion(const Type& from, bool fromSigned, const Type& to, bool toSigned)
{
    if (from.kind == TypeKind::Float)
        return from.width == 16   ? convertTo<Half>(to, toSigned)
               : from.width == 32 ? convertTo<float>(to, toSigned)
                                  : convertTo<double>(to, toSigned);
    if (!fromSigned)
        return convertTo<uint64_t>(to, toSigned);  // zero-extended already
    switch (from.width) {
        case 8:
            return convertTo<int8_t>(to, toSigned);
        case 16:
            return convertTo<int16_t>(to, toSigned);
        case 32:
            return convertTo<int32_t>(to, toSigned);
        default:
            return convertTo<int64_t>(to, toSigned);
    }
}

void select(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = slots[where.a + i] ? slots[where.b + i] : slots[where.c + i];
}

void copy(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = slots[where.a + i];
}

// Offset and count are scalars also where base is a vector.
void bitFieldInsert(uint64_t* slots, const ArithmeticOperands& where)
{
    const uint64_t offset = slots[where.c];
    const uint64_t mask = widthMask(static_cast<uint32_t>(slots[where.d])) << offset;
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] = (slots[where.a + i] & ~mask) | (slots[where.b + i] << offset & mask);
}

template <bool kSigned>
void bitFieldExtract(uint64_t* slots, const ArithmeticOperands& where)
{
    const auto offset = static_cast<uint32_t>(slots[where.b]);
    const auto bits = static_cast<uint32_t>(slots[where.c]);
    for (uint32_t i = 0; i < where.count; ++i) {
        uint64_t value = bits == 0 ? 0 : slots[where.a + i] >> offset & widthMask(bits);
        if (kSigned && bits != 0 && (value >> (bits - 1) & 1))
            value = (value | ~widthMask(bits)) & 0xffffffffu;
        slots[where.destination + i] = value;
    }
}

void quantize(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        slots[where.destination + i] =
            Number<float>::put(halfToFloat(floatToHalf(Number<float>::get(slots[where.a + i]))));
}

ArithmeticFunction integerFunction(spv::Op op, uint32_t width)
{
    switch (op) {
        case spv::OpIAdd:
            return MR_UINT_LOOP(binary, Add, width);
        case spv::OpISub:
            return MR_UINT_LOOP(binary, Subtract, width);
        case spv::OpIMul:
            return MR_UINT_LOOP(binary, Multiply, width);
        case spv::OpUDiv:
            return MR_UINT_LOOP(binary, Divide, width);
        case spv::OpSDiv:
            return MR_INT_LOOP(binary, Divide, width);
        case spv::OpUMod:
            return MR_UINT_LOOP(binary, Remainder, width);
        case spv::OpSRem:
            return MR_INT_LOOP(binary, Remainder, width);
        case spv::OpSMod:
            return MR_INT_LOOP(binary, Modulo, width);
        case spv::OpBitwiseAnd:
            return MR_UINT_LOOP(binary, And, width);
        case spv::OpBitwiseOr:
            return MR_UINT_LOOP(binary, Or, width);
        case spv::OpBitwiseXor:
            return MR_UINT_LOOP(binary, Xor, width);
        case spv::OpShiftLeftLogical:
            return MR_UINT_LOOP(shift, ShiftLeft, width);
        case spv::OpShiftRightLogical:
            return MR_UINT_LOOP(shift, ShiftRight, width);
        case spv::OpShiftRightArithmetic:
            return MR_INT_LOOP(shift, ShiftRight, width);
        case spv::OpSNegate:
            return MR_UINT_LOOP(unary, Negate, width);
        case spv::OpNot:
            return MR_UINT_LOOP(unary, Not, width);
        case spv::OpBitReverse:
            return MR_UINT_LOOP(unary, BitReverse, width);
        case spv::OpBitCount:
            return MR_UINT_LOOP(unary, BitCount, width);
        case spv::OpBitFieldInsert:
            return &bitFieldInsert;
        case spv::OpBitFieldUExtract:
            return &bitFieldExtract<false>;
        case spv::OpBitFieldSExtract:
            return width == 32 ? &bitFieldExtract<true> : nullptr;
        case spv::OpIEqual:
            return &compare<uint64_t, Equal>;
        case spv::OpINotEqual:
            return &compare<uint64_t, NotEqual>;
        case spv::OpULessThan:
            return &compare<uint64_t, Less>;
        case spv::OpULessThanEqual:
            return &compare<uint64_t, LessEqual>;
        case spv::OpUGreaterThan:
            return &compare<uint64_t, Greater>;
        case spv::OpUGreaterThanEqual:
            return &compare<uint64_t, GreaterEqual>;
        case spv::OpSLessThan:
            return MR_INT_LOOP(compare, Less, width);
        case spv::OpSLessThanEqual:
            return MR_INT_LOOP(compare, LessEqual, width);
        case spv::OpSGreaterThan:
            return MR_INT_LOOP(compare, Greater, width);
        case spv::OpSGreaterThanEqual:
            return MR_INT_LOOP(compare, GreaterEqual, width);
        default:
            return nullptr;
    }
}

ArithmeticFunction floatFunction(spv::Op op, uint32_t width)
{
    switch (op) {
        case spv::OpFAdd:
            return MR_FLOAT_LOOP(binary, FAdd, width);
        case spv::OpFSub:
            return MR_FLOAT_LOOP(binary, FSubtract, width);
        case spv::OpFMul:
            return MR_FLOAT_LOOP(binary, FMultiply, width);
        case spv::OpFDiv:
            return MR_FLOAT_LOOP(binary, FDivide, width);
        case spv::OpFRem:
            return MR_FLOAT_LOOP(binary, FRemainder, width);
        case spv::OpFMod:
            return MR_FLOAT_LOOP(binary, FModulo, width);
        case spv::OpFNegate:
            return MR_FLOAT_LOOP(unary, FNegate, width);
        case spv::OpFOrdEqual:
            return MR_FLOAT_LOOP(compare, Equal, width);
        case spv::OpFUnordEqual:
            return MR_FLOAT_LOOP(compare, UnorderedEqual, width);
        case spv::OpFOrdNotEqual:
            return MR_FLOAT_LOOP(compare, OrderedNotEqual, width);
        case spv::OpFUnordNotEqual:
            return MR_FLOAT_LOOP(compare, NotEqual, width);
        case spv::OpFOrdLessThan:
            return MR_FLOAT_LOOP(compare, Less, width);
        case spv::OpFUnordLessThan:
            return MR_FLOAT_LOOP(compare, UnorderedLess, width);
        case spv::OpFOrdLessThanEqual:
            return MR_FLOAT_LOOP(compare, LessEqual, width);
        case spv::OpFUnordLessThanEqual:
            return MR_FLOAT_LOOP(compare, UnorderedLessEqual, width);
        case spv::OpFOrdGreaterThan:
            return MR_FLOAT_LOOP(compare, Greater, width);
        case spv::OpFUnordGreaterThan:
            return MR_FLOAT_LOOP(compare, UnorderedGreater, width);
        case spv::OpFOrdGreaterThanEqual:
            return MR_FLOAT_LOOP(compare, GreaterEqual, width);
        case spv::OpFUnordGreaterThanEqual:
            return MR_FLOAT_LOOP(compare, UnorderedGreaterEqual, width);
        case spv::OpIsNan:
            return width == 16 ? &isNan<Half> : width == 32 ? &isNan<float> : &isNan<double>;
        case spv::OpIsInf:
            return width == 16 ? &isInf<Half> : width == 32 ? &isInf<float> : &isInf<double>;
        case spv::OpQuantizeToF16:
            return &quantize;
        default:
            return nullptr;
    }
}

ArithmeticFunction logicalFunction(spv::Op op)
{
    switch (op) {
        case spv::OpLogicalAnd:
            return &compare<uint64_t, LogicalAnd>;
        case spv::OpLogicalOr:
            return &compare<uint64_t, LogicalOr>;
        case spv::OpLogicalEqual:
            return &compare<uint64_t, Equal>;
        case spv::OpLogicalNotEqual:
            return &compare<uint64_t, NotEqual>;
        case spv::OpLogicalNot:
            return &unary<uint64_t, LogicalNot>;
        case spv::OpSelect:
            return &select;
        case spv::OpCopyObject:
        case spv::OpCopyLogical:
            return &copy;
        default:
            return nullptr;
    }
}

template <typename T>
void dot(uint64_t* slots, const ArithmeticOperands& where)
{
    typename Number<T>::Value sum = 0;
    for (uint32_t i = 0; i < where.count; ++i)
        sum = Number<T>::get(
            Number<T>::put(sum + Number<T>::get(slots[where.a + i]) * Number<T>::get(slots[where.b + i])));
    slots[where.destination] = Number<T>::put(sum);
}

template <typename T>
void matrixTimesVector(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t row = 0; row < where.count; ++row) {
        typename Number<T>::Value sum = 0;
        for (uint32_t column = 0; column < where.c; ++column)
            sum +=
                Number<T>::get(slots[where.a + column * where.count + row]) * Number<T>::get(slots[where.b + column]);
        slots[where.destination + row] = Number<T>::put(sum);
    }
}

void any(uint64_t* slots, const ArithmeticOperands& where)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < where.count; ++i)
        out |= slots[where.a + i];
    slots[where.destination] = out;
}

void all(uint64_t* slots, const ArithmeticOperands& where)
{
    uint64_t out = 1;
    for (uint32_t i = 0; i < where.count; ++i)
        out &= slots[where.a + i];
    slots[where.destination] = out;
}

template <typename F>
void extended(uint64_t* slots, const ArithmeticOperands& where)
{
    for (uint32_t i = 0; i < where.count; ++i)
        F::apply(slots[where.a + i], slots[where.b + i], slots[where.destination + i],
                 slots[where.destination + where.count + i]);
}

struct AddCarry {
    static void apply(uint64_t a, uint64_t b, uint64_t& low, uint64_t& high)
    {
        low = (a + b) & 0xffffffffu;
        high = (a + b) >> 32;
    }
};
struct SubBorrow {
    static void apply(uint64_t a, uint64_t b, uint64_t& low, uint64_t& high)
    {
        low = (a - b) & 0xffffffffu;
        high = a < b;
    }
};
struct UMulExtended {
    static void apply(uint64_t a, uint64_t b, uint64_t& low, uint64_t& high)
    {
        low = (a * b) & 0xffffffffu;
        high = (a * b) >> 32;
    }
};
struct SMulExtended {
    static void apply(uint64_t a, uint64_t b, uint64_t& low, uint64_t& high)
    {
        const int64_t product =
            int64_t{static_cast<int32_t>(static_cast<uint32_t>(a))} * static_cast<int32_t>(static_cast<uint32_t>(b));
        low = static_cast<uint64_t>(product) & 0xffffffffu;
        high = static_cast<uint64_t>(product) >> 32;
    }
};

}  // namespace

ArithmeticFunction arithmeticFunction(spv::Op op, const Type& operand, const Type& result)
{
    switch (op) {
        case spv::OpUConvert:
            return conversion(operand, false, result, false);
        case spv::OpSConvert:
            return conversion(operand, true, result, true);
        case spv::OpFConvert:
            return conversion(operand, true, result, true);
        case spv::OpConvertUToF:
            return conversion(operand, false, result, false);
        case spv::OpConvertSToF:
            return conversion(operand, true, result, true);
        case spv::OpConvertFToU:
            return conversion(operand, true, result, false);
        case spv::OpConvertFToS:
            return conversion(operand, true, result, true);
        default:
            break;
    }
    if (const ArithmeticFunction found = logicalFunction(op))
        return found;
    return operand.kind == TypeKind::Float ? floatFunction(op, operand.width) : integerFunction(op, operand.width);
}

ArithmeticFunction reductionFunction(spv::Op op, const Type& operand)
{
    if (op == spv::OpAny)
        return &any;
    if (op == spv::OpAll)
        return &all;
    if (op == spv::OpDot)
        return operand.width == 16 ? &dot<Half> : operand.width == 32 ? &dot<float> : &dot<double>;
    return nullptr;
}

ArithmeticFunction matrixTimesVectorFunction(const Type& operand)
{
    return operand.width == 16   ? &matrixTimesVector<Half>
           : operand.width == 32 ? &matrixTimesVector<float>
                                 : &matrixTimesVector<double>;
}

ArithmeticFunction extendedFunction(spv::Op op, const Type& operand)
{
    if (operand.width != 32)
        return nullptr;
    switch (op) {
        case spv::OpIAddCarry:
            return &extended<AddCarry>;
        case spv::OpISubBorrow:
            return &extended<SubBorrow>;
        case spv::OpUMulExtended:
            return &extended<UMulExtended>;
        case spv::OpSMulExtended:
            return &extended<SMulExtended>;
        default:
            return nullptr;
    }
}

}  // namespace millrace::oracle
