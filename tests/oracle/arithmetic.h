// SPDX-License-Identifier: Apache-2.0
// Arithmetic on register slots, looked up once per instruction. Integers are kept zero-extended whatever their sign,
// floats as their bits, booleans as 0 and 1.
#pragma once

#include "oracle/module.h"

namespace millrace::oracle {

struct ArithmeticOperands {
    uint32_t destination = 0;  // slots
    uint32_t a = 0, b = 0, c = 0, d = 0;
    uint32_t count = 1;  // components; some functions count otherwise and say so
};

using ArithmeticFunction = void (*)(uint64_t* slots, const ArithmeticOperands& where);

// Null if the instruction is none that works component by component. `operand` and `result` are scalar types.
ArithmeticFunction arithmeticFunction(spv::Op op, const Type& operand, const Type& result);

// OpDot, OpAny, OpAll: count is that of the operands.
ArithmeticFunction reductionFunction(spv::Op op, const Type& operand);

// Matrix a of c columns with count rows, times vector b.
ArithmeticFunction matrixTimesVectorFunction(const Type& operand);

// The first half of the result takes `count` slots, the second the next `count`.
ArithmeticFunction extendedFunction(spv::Op op, const Type& operand);

// Instructions of GLSL.std.450 that work component by component; null if unknown.
ArithmeticFunction glslFunction(uint32_t instruction, const Type& operand);
// Those over whole vectors: count is that of the operands, the result may be one slot.
ArithmeticFunction glslVectorFunction(uint32_t instruction, const Type& operand);

}  // namespace millrace::oracle
