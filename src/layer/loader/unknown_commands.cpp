// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/unknown_commands.h"

#include <map>
#include <set>
#include <string_view>
#include <vector>
#include <vulkan/vulkan_hpp_macros.hpp>
// Needs those before it.
#include <vulkan/vulkan_extension_inspection.hpp>

#include "layer/recording/command_buffer.h"
#include "layer/submission/queue.h"

// Each function below hands its number to millraceFindUnknown(), with the registers that arguments may be in kept, then
// goes on in the driver's function with another first argument. What is on the stack stays where it is.
#if defined(__x86_64__) && defined(__linux__)
#define MILLRACE_HAS_THUNKS 1
static_assert(millrace::layer::UnknownCommands::kMost == 64);
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

    .balign 16
    .globl millraceUnknownThunks
    .hidden millraceUnknownThunks
millraceUnknownThunks:
    .set slot, 0
    .rept 64
    .balign 16
    endbr64
    pushq $slot
    jmp millraceUnknownCommand
    .set slot, slot + 1
    .endr
    .balign 16
)");
#elif defined(__aarch64__) && defined(__linux__)
#define MILLRACE_HAS_THUNKS 1
static_assert(millrace::layer::UnknownCommands::kMost == 64);
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

    .balign 16
    .globl millraceUnknownThunks
    .hidden millraceUnknownThunks
millraceUnknownThunks:
    .set slot, 0
    .rept 64
    .balign 16
    hint #34  // bti c
    mov x16, #slot
    b millraceUnknownCommand
    .set slot, slot + 1
    .endr
    .balign 16
)");
#else
#define MILLRACE_HAS_THUNKS 0
#endif

#if MILLRACE_HAS_THUNKS
extern "C" __attribute__((visibility("hidden"))) const std::byte millraceUnknownThunks[];
#endif

namespace millrace::layer {

namespace {

constexpr size_t kThunkBytes = 16;

constexpr std::string_view kOfQueue = "vkQueue";
constexpr std::string_view kOfCommandBuffer = "vkCmd";

PFN_vkVoidFunction thunk([[maybe_unused]] size_t slot)
{
#if MILLRACE_HAS_THUNKS
    return reinterpret_cast<PFN_vkVoidFunction>(
        reinterpret_cast<uintptr_t>(millraceUnknownThunks + slot * kThunkBytes));
#else
    return nullptr;
#endif
}

// What a name says of scopes that it begins or ends. A graph must not be dispatched in a render pass that cannot be
// interrupted, nor a command buffer be split in what nobody can end and begin again.
[[maybe_unused]] void noteScope(CommandBuffer& commandBuffer, std::string_view name)
{
    RenderingScope& scope = commandBuffer.rendering;
    if (name.starts_with("vkCmdBeginRender")) {
        scope.unknownPass = true;
    } else if (name.starts_with("vkCmdEndRender")) {
        scope.unknownPass = false;
        scope.legacyPass = false;
        scope.dynamic.reset();
        commandBuffer.log.clear(kScopeInRendering);
    } else if (name.starts_with("vkCmdBegin")) {
        ++scope.unknownScopes;
    } else if (name.starts_with("vkCmdEnd") && scope.unknownScopes > 0) {
        --scope.unknownScopes;
    }
}

}  // namespace

PFN_vkVoidFunction UnknownCommands::get(std::string_view name, PFN_vkVoidFunction next)
{
    if (!next || (!name.starts_with(kOfQueue) && !name.starts_with(kOfCommandBuffer)))
        return next;
    std::lock_guard lock(m_mutex);
    for (size_t slot = 0; slot < m_count; ++slot)
        if (m_commands[slot].name == name)
            return thunk(slot);
    if (!MILLRACE_HAS_THUNKS || m_count == kMost) {
        m_passedOn = true;
        return next;
    }
    m_commands[m_count] = {std::string(name), next};
    return thunk(m_count++);
}

std::string unknownExtensions(std::span<const char* const> names)
{
    std::string unknown;
    for (const char* name : names)
        if (!VULKAN_HPP_NAMESPACE::isDeviceExtension(name))
            unknown += (unknown.empty() ? "" : ", ") + std::string(name);
    return unknown;
}

#if MILLRACE_HAS_THUNKS
extern "C" {

struct MillraceUnknownTarget {
    void* handle;
    PFN_vkVoidFunction next;
};

__attribute__((visibility("hidden"), used)) MillraceUnknownTarget millraceFindUnknown(void* handle,
                                                                                      size_t slot) noexcept
{
    Device& device = *Device::of(*static_cast<void**>(handle));
    const UnknownCommands::Command& command = device.unknownCommands[slot];
    if (command.name.starts_with(kOfQueue)) {
        if (Queue* queue = device.queues.find(handleId(handle)))
            queue->drain();
        return {handle, command.next};
    }
    CommandBuffer& commandBuffer = CommandBuffer::of(static_cast<VkCommandBuffer>(handle));
    noteScope(commandBuffer, command.name);
    return {commandBuffer.current, command.next};
}
}
#endif

}  // namespace millrace::layer
