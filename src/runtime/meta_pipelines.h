// SPDX-License-Identifier: Apache-2.0
// The meta shaders as compute pipelines. They have push constants and no descriptors.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <mutex>

#include "runtime/device_traits.h"
#include "runtime/names.h"

namespace millrace::runtime {

// From Snapshot on they are made when somebody wants them, those before for the first graph, and Number as well where
// there are no 64-bit atomics.
enum class Meta { Init, Begin, Feed, Turn, Plan, Fit, Snapshot, Mark, Capture, ProbeSmall, ProbeLarge, Number, Count };

class MetaPipelines {
public:
    // Invocations of a workgroup of Init, Begin, Turn, Fit and Snapshot: kWide, or what every device has.
    static constexpr uint32_t kWide = 256;
    static constexpr uint32_t kNarrow = 128;

    // `table` must outlive this. Of the traits, those that say what shaders may use count. `maxGroupInvocations` is
    // what a workgroup may have on the device, in the first dimension.
    VkResult create(VkDevice device, const VkuDeviceDispatchTable& table, const Names& names,
                    const DeviceTraits& traits, uint32_t maxGroupInvocations);
    uint32_t width() const { return m_width; }
    // Makes all that graphs need, unless that is done. Any thread.
    VkResult prepare();
    // One that is not there yet. Not while others dispatch or add it.
    VkResult add(Meta meta);
    ~MetaPipelines();

    // Binds the shader, pushes its arguments and dispatches `groups` workgroups.
    template <typename Arguments>
    void dispatch(VkCommandBuffer commandBuffer, Meta meta, const Arguments& arguments, uint32_t groups) const
    {
        static_assert(sizeof(Arguments) <= kArgumentBytes);
        dispatchBytes(commandBuffer, meta, &arguments, sizeof arguments, groups);
    }

private:
    static constexpr size_t kArgumentBytes = 112;
    void dispatchBytes(VkCommandBuffer commandBuffer, Meta meta, const void* arguments, size_t bytes,
                       uint32_t groups) const;

    VkDevice m_device = VK_NULL_HANDLE;
    const VkuDeviceDispatchTable* m_table = nullptr;
    Names m_names;
    DeviceTraits m_traits;
    uint32_t m_width = kWide;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    std::mutex m_mutex;  // of prepare()
    std::array<VkPipeline, static_cast<size_t>(Meta::Count)> m_pipelines{};
};

}  // namespace millrace::runtime
