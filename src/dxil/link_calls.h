// SPDX-License-Identifier: Apache-2.0
// Functions that one library calls and another defines.
#pragma once

#include <span>

#include "base/result.h"
#include "dxil/ir.h"

namespace millrace::dxil {

// Lets calls of functions without a body reach the one of this name that has one, in whichever module. Calls that find
// none stay as they are. Errors: several such functions, other types, and modules whose 16-bit types differ.
Status linkCalls(std::span<Module* const> modules);

}  // namespace millrace::dxil
