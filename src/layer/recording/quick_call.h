// SPDX-License-Identifier: Apache-2.0
// Quick calls of commands that an application records by the thousand: what the layer does fits in a few
// registers, and the driver's function is jumped to with the application's arguments where they are. Where the layer
// has more to do, the call is a careful one.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include "layer/base/guard.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

// `kQuick(commandBuffer, arguments...)` is noexcept and calls nothing. It returns false, with nothing changed that
// `kCareful` does not change again, if the call has to be careful, which is `kCareful`, of the command's own type. Else
// `kMember` of the driver is called behind it, in the command buffer that takes commands now.
template <auto kMember, auto kQuick, auto kCareful>
struct QuickCall;
template <typename... Args, void (VKAPI_PTR* VkuDeviceDispatchTable::*kMember)(VkCommandBuffer, Args...), auto kQuick,
          auto kCareful>
struct QuickCall<kMember, kQuick, kCareful> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer handle, Args... args) noexcept
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        if (!kQuick(commandBuffer, args...)) [[unlikely]]
            return careful(handle, args...);
        // Drivers are C: they throw nothing, so nothing has to be caught here, and the call is a jump.
        using Function = void(VKAPI_PTR*)(VkCommandBuffer, Args...) noexcept;
        const auto function = reinterpret_cast<Function>(commandBuffer.device.table.*kMember);
        return function(commandBuffer.current.inFrontOfPutOff(), args...);
    }

private:
    // Not inlined: it would need registers saved that quick calls do without.
    [[gnu::noinline]] static VKAPI_ATTR void VKAPI_CALL careful(VkCommandBuffer handle, Args... args) noexcept
    {
        Guarded<kCareful>::call(handle, args...);
    }
};

template <auto kMember, auto kQuick, auto kCareful>
EntryFunction quick()
{
    return EntryFunction(reinterpret_cast<PFN_vkVoidFunction>(&QuickCall<kMember, kQuick, kCareful>::call));
}

}  // namespace millrace::layer
