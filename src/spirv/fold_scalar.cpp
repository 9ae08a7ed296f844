// SPDX-License-Identifier: Apache-2.0
#include "spirv/fold.h"

namespace millrace::spirv {

namespace {

int64_t signedValue(uint64_t value, uint32_t width)
{
    const uint32_t shift = 64 - width;
    return static_cast<int64_t>(value << shift) >> shift;
}

bool foldUnary(spv::Op op, uint64_t a, uint64_t& result)
{
    switch (op) {
        case spv::Op::OpSNegate:
            result = 0 - a;
            return true;
        case spv::Op::OpNot:
            result = ~a;
            return true;
        case spv::Op::OpLogicalNot:
            result = a ^ 1;
            return true;
        default:
            return false;
    }
}

bool foldBitwise(spv::Op op, uint32_t width, uint64_t a, uint64_t b, uint64_t& result)
{
    switch (op) {
        case spv::Op::OpShiftLeftLogical:
            result = b < width ? a << b : 0;
            return true;
        case spv::Op::OpShiftRightLogical:
            result = b < width ? a >> b : 0;
            return true;
        case spv::Op::OpShiftRightArithmetic:
            result = b < width ? static_cast<uint64_t>(signedValue(a, width) >> b) : 0;
            return true;
        case spv::Op::OpBitwiseOr:
        case spv::Op::OpLogicalOr:
            result = a | b;
            return true;
        case spv::Op::OpBitwiseAnd:
        case spv::Op::OpLogicalAnd:
            result = a & b;
            return true;
        case spv::Op::OpBitwiseXor:
            result = a ^ b;
            return true;
        default:
            return false;
    }
}

bool foldComparison(spv::Op op, uint32_t width, uint64_t a, uint64_t b, uint64_t& result)
{
    const int64_t sa = signedValue(a, width);
    const int64_t sb = signedValue(b, width);
    switch (op) {
        case spv::Op::OpIEqual:
        case spv::Op::OpLogicalEqual:
            result = a == b;
            return true;
        case spv::Op::OpINotEqual:
        case spv::Op::OpLogicalNotEqual:
            result = a != b;
            return true;
        case spv::Op::OpULessThan:
            result = a < b;
            return true;
        case spv::Op::OpULessThanEqual:
            result = a <= b;
            return true;
        case spv::Op::OpUGreaterThan:
            result = a > b;
            return true;
        case spv::Op::OpUGreaterThanEqual:
            result = a >= b;
            return true;
        case spv::Op::OpSLessThan:
            result = sa < sb;
            return true;
        case spv::Op::OpSLessThanEqual:
            result = sa <= sb;
            return true;
        case spv::Op::OpSGreaterThan:
            result = sa > sb;
            return true;
        case spv::Op::OpSGreaterThanEqual:
            result = sa >= sb;
            return true;
        default:
            return false;
    }
}

bool foldArithmetic(spv::Op op, uint32_t width, uint64_t a, uint64_t b, uint64_t& result)
{
    const int64_t sa = signedValue(a, width);
    const int64_t sb = signedValue(b, width);
    // The most negative number divided by -1 overflows in C++ as well; SPIR-V leaves the result undefined.
    const bool defined = b != 0 && !(sb == -1 && width == 64);
    switch (op) {
        case spv::Op::OpIAdd:
            result = a + b;
            return true;
        case spv::Op::OpISub:
            result = a - b;
            return true;
        case spv::Op::OpIMul:
            result = a * b;
            return true;
        case spv::Op::OpUDiv:
            result = b != 0 ? a / b : 0;
            return true;
        case spv::Op::OpUMod:
            result = b != 0 ? a % b : 0;
            return true;
        case spv::Op::OpSDiv:
            result = defined ? static_cast<uint64_t>(sa / sb) : sb == -1 ? 0 - a : 0;
            return true;
        case spv::Op::OpSRem:
            result = defined ? static_cast<uint64_t>(sa % sb) : 0;
            return true;
        case spv::Op::OpSMod: {
            // The sign follows the divisor.
            const int64_t remainder = defined ? sa % sb : 0;
            result = static_cast<uint64_t>(remainder != 0 && (remainder < 0) != (sb < 0) ? remainder + sb : remainder);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace

bool foldScalar(spv::Op op, uint32_t width, std::span<const uint64_t> arguments, uint64_t& result)
{
    const std::span<const uint64_t> a = arguments;
    if (width == 0 || width > 64)
        return false;
    const bool folded = a.size() == 1 ? foldUnary(op, a[0], result)
                                      : a.size() == 2 && (foldBitwise(op, width, a[0], a[1], result) ||
                                                          foldComparison(op, width, a[0], a[1], result) ||
                                                          foldArithmetic(op, width, a[0], a[1], result));
    return folded;
}

}  // namespace millrace::spirv
