// SPDX-License-Identifier: Apache-2.0
// The functions that applications get in place of unknown commands, in the file of each processor that has them. They
// hand the number of their slot to millraceFindUnknown(), with the registers that arguments may be in kept, then go on
// in the driver's function with another first argument. What is on the stack stays where it is.
#pragma once

#include <cstddef>

#include "layer/loader/unknown_commands.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define MILLRACE_HAS_THUNKS 1
// One behind another, kThunkBytes each.
extern "C" __attribute__((visibility("hidden"))) const std::byte millraceUnknownThunks[];
#else
#define MILLRACE_HAS_THUNKS 0
#endif

namespace millrace::layer {

inline constexpr size_t kThunkBytes = 16;
static_assert(UnknownCommands::kMost == 64);  // as below

}  // namespace millrace::layer

// Assembly: all of them. `body` is that of one, of kThunkBytes at most, in which the symbol `slot` is its number.
#define MILLRACE_UNKNOWN_THUNKS(body)     \
    "    .balign 16\n"                    \
    "    .globl millraceUnknownThunks\n"  \
    "    .hidden millraceUnknownThunks\n" \
    "millraceUnknownThunks:\n"            \
    "    .set slot, 0\n"                  \
    "    .rept 64\n"                      \
    "    .balign 16\n" body               \
    "    .set slot, slot + 1\n"           \
    "    .endr\n"                         \
    "    .balign 16\n"
