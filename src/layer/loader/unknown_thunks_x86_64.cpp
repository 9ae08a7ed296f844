// SPDX-License-Identifier: Apache-2.0
// Calls of unknown commands on x86-64, with System V's calling convention.
#include "layer/loader/unknown_thunks.h"

#if MILLRACE_HAS_THUNKS && defined(__x86_64__)
asm(R"(
    .text
    .type millraceUnknownCommand, @function
millraceUnknownCommand:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    subq $192, %rsp
    .cfi_adjust_cfa_offset 192
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)
    movups %xmm0, 64(%rsp)
    movups %xmm1, 80(%rsp)
    movups %xmm2, 96(%rsp)
    movups %xmm3, 112(%rsp)
    movups %xmm4, 128(%rsp)
    movups %xmm5, 144(%rsp)
    movups %xmm6, 160(%rsp)
    movups %xmm7, 176(%rsp)
    movq 192(%rsp), %rsi
    call millraceFindUnknown
    movq %rax, %rdi
    movq %rdx, %r11
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movups 64(%rsp), %xmm0
    movups 80(%rsp), %xmm1
    movups 96(%rsp), %xmm2
    movups 112(%rsp), %xmm3
    movups 128(%rsp), %xmm4
    movups 144(%rsp), %xmm5
    movups 160(%rsp), %xmm6
    movups 176(%rsp), %xmm7
    addq $200, %rsp
    .cfi_adjust_cfa_offset -200
    jmp *%r11
    .cfi_endproc
    .size millraceUnknownCommand, . - millraceUnknownCommand
)" MILLRACE_UNKNOWN_THUNKS(R"(
    endbr64
    pushq $slot
    jmp millraceUnknownCommand
)"));
#endif
