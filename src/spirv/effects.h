// SPDX-License-Identifier: Apache-2.0
// What an instruction is there for.
#pragma once

#include "spirv/module.h"

namespace millrace::spirv {

// The instruction does nothing but compute its result, so it may go if nobody uses that. Reading memory counts as
// nothing, unless it is volatile; calls do something. `extended`: the import of GLSL.std.450, if there is one.
bool onlyComputes(const Instruction& i, Id extended);

// The import of GLSL.std.450, or none.
Id findExtendedInstructions(const Module& module);

}  // namespace millrace::spirv
