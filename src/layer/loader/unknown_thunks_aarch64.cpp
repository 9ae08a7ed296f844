// SPDX-License-Identifier: Apache-2.0
// Calls of unknown commands on AArch64.
#include "layer/loader/unknown_thunks.h"

#if MILLRACE_HAS_THUNKS && defined(__aarch64__)
asm(R"(
    .text
    .type millraceUnknownCommand, %function
millraceUnknownCommand:
    .cfi_startproc
    stp x29, x30, [sp, #-208]!
    .cfi_def_cfa_offset 208
    .cfi_offset x29, -208
    .cfi_offset x30, -200
    mov x29, sp
    stp x1, x2, [sp, #16]
    stp x3, x4, [sp, #32]
    stp x5, x6, [sp, #48]
    stp x7, x8, [sp, #64]
    stp q0, q1, [sp, #80]
    stp q2, q3, [sp, #112]
    stp q4, q5, [sp, #144]
    stp q6, q7, [sp, #176]
    mov x1, x16
    bl millraceFindUnknown
    mov x16, x1
    ldp x1, x2, [sp, #16]
    ldp x3, x4, [sp, #32]
    ldp x5, x6, [sp, #48]
    ldp x7, x8, [sp, #64]
    ldp q0, q1, [sp, #80]
    ldp q2, q3, [sp, #112]
    ldp q4, q5, [sp, #144]
    ldp q6, q7, [sp, #176]
    ldp x29, x30, [sp], #208
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    br x16
    .cfi_endproc
    .size millraceUnknownCommand, . - millraceUnknownCommand
)" MILLRACE_UNKNOWN_THUNKS(R"(
    hint #34  // bti c
    mov x16, #slot
    b millraceUnknownCommand
)"));
#endif
