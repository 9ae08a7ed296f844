// SPDX-License-Identifier: Apache-2.0
// Numbers of 8 and 16 bits, of which variables may have to hold the value in 32 bits: a module that declares none but
// the capabilities of storage (StorageBuffer16BitAccess and the like) may have them in buffers, and do no more with
// them than to load, store and convert them (SPIR-V, "8-bit and 16-bit storage").
#pragma once

#include "spirv/module.h"

namespace millrace::nodes {

// An integer or floating-point type of fewer than 32 bits.
bool isSmall(const spirv::Instruction& type);

// Likewise, if no variable of an invocation or of a workgroup may have it in this module.
bool isInBuffersOnly(const spirv::Module& module, const spirv::Instruction& type);

// The type of 32 bits and the same kind and sign.
spirv::Id widened(spirv::Module& module, spirv::Id small);

// `value`, a scalar or vector of type `given`, as `type`, which differs in nothing but width and, of integers, sign.
// Floating-point numbers keep their value; longer integers are extended by the sign of `given`, shorter ones cut off.
spirv::Id withWidth(spirv::Emitter& out, spirv::Id value, spirv::Id given, spirv::Id type);

}  // namespace millrace::nodes
