// SPDX-License-Identifier: Apache-2.0
// Stores that become visible late, as memory models allow and processors such as x86 do not do.
#pragma once

#include "spirv/module.h"

namespace millrace::shuffle {

// Moves stores to buffers behind what follows them in their block: behind atomics that do not release, and behind all
// that has nothing to do with them. They stay in front of barriers, of calls, of accesses that may be to the same
// place, and of the block's end. Where one went behind an atomic, `wait` is called in between: the time in which others
// may see the one and not the other.
void delayStores(spirv::Module& module, spirv::Id wait);

}  // namespace millrace::shuffle
