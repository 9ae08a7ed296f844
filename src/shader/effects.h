// SPDX-License-Identifier: Apache-2.0
// What code does that others can see.
#pragma once

#include "spirv/module.h"

namespace millrace::shader {

// Whether others can see that an instruction ran, or it did something that must not be done twice. Calls themselves
// have no effects: what is called is looked at by itself.
bool hasEffects(const spirv::Module& module, const spirv::Instruction& i);

}  // namespace millrace::shader
