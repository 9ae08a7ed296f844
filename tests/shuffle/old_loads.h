// SPDX-License-Identifier: Apache-2.0
// Loads that give what was in memory before, as memory models allow, GPUs' caches do, and processors do not.
#pragma once

#include "spirv/module.h"

namespace millrace::shuffle {

// Gives each invocation a cache of its own, of lines as GPUs have them: who loads a word by address has its neighbours,
// too, and goes on seeing them as they were. What it writes itself it sees. Barriers and atomics that acquire buffers
// renew all lines at once, as if another workgroup had loaded them right there: what is written later is not seen.
// Loads of numbers of 32 and 64 bits, and of vectors and structures of them, go through the cache, unless they are
// coherent or volatile. Modules of the Vulkan memory model, whose accesses say all that by themselves, stay as they
// are.
void keepOldLoads(spirv::Module& module);

}  // namespace millrace::shuffle
