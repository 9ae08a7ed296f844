// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spirv/module.h"

namespace millrace::advisor {

// Asks for each short loop to be unrolled whose number of rounds is a constant, as drivers unroll such loops. Returns
// whether there are any. Requires: values in place of local variables.
bool requestUnrolling(spirv::Module& module);

}  // namespace millrace::advisor
