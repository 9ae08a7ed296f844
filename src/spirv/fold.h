// SPDX-License-Identifier: Apache-2.0
// Constant expressions at module scope.
#pragma once

#include "spirv/module.h"

namespace millrace::spirv {

// Replaces OpSpecConstantOp and OpSpecConstantComposite by ordinary constants where their operands are such.
// Not folded: operations on floating-point numbers other than widening or narrowing between 32 and 64 bits.
// Undefined results (division by zero, shifts by the width or more) become 0.
void foldSpecConstants(Module& module);

// One component of an integer or boolean operation: values have no bits above `width`, which is 1 for bool.
// False if `op` is none of these.
bool foldScalar(spv::Op op, uint32_t width, std::span<const uint64_t> arguments, uint64_t& result);

}  // namespace millrace::spirv
