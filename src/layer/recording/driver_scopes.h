// SPDX-License-Identifier: Apache-2.0
// Stages and accesses of barriers as the driver may see them. Where the layer generates commands, the driver does not
// know the stage in which they are preprocessed, and what they read at the stage of indirect commands is read by
// shaders.
#pragma once

#include <vulkan/vulkan.h>

#include "layer/loader/device.h"

namespace millrace::layer {

// Flags of 32 and of 64 bits have the same values.
class DriverScopes {
public:
    // Changes nothing.
    DriverScopes() = default;
    // On queues that can do this.
    DriverScopes(const Device& device, VkQueueFlags queue)
    {
        if (!device.usesCommands())
            return;
        if (queue & VK_QUEUE_COMPUTE_BIT)
            m_readers |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        if (!(queue & VK_QUEUE_GRAPHICS_BIT))
            return;
        m_readers |= VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
        if (device.enabled.tessellation)
            m_readers |= VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
                         VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT;
        if (device.enabled.geometry)
            m_readers |= VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT;
    }

    // False: everything stays as it is.
    bool change() const { return m_readers != 0; }

    template <typename Flags>
    Flags stages(Flags flags) const
    {
        constexpr auto kPreprocess = static_cast<Flags>(VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT);
        constexpr auto kIndirect = static_cast<Flags>(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT);
        if (!change())
            return flags;
        if (flags & kPreprocess)
            flags = (flags & ~kPreprocess) | kIndirect;
        return flags & kIndirect ? flags | static_cast<Flags>(m_readers) : flags;
    }

    template <typename Flags>
    Flags accesses(Flags flags) const
    {
        constexpr auto kRead = static_cast<Flags>(VK_ACCESS_2_COMMAND_PREPROCESS_READ_BIT_EXT);
        constexpr auto kWrite = static_cast<Flags>(VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT);
        constexpr auto kIndirect = static_cast<Flags>(VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
        if (!change())
            return flags;
        if (flags & (kRead | kIndirect))
            flags |= static_cast<Flags>(VK_ACCESS_2_SHADER_READ_BIT);
        if (flags & kWrite)
            flags |= static_cast<Flags>(VK_ACCESS_2_SHADER_WRITE_BIT);
        return flags & ~(kRead | kWrite);
    }

    // Of VkMemoryBarrier, VkSubpassDependency and their like.
    template <typename Barrier>
    void translate(Barrier& barrier) const
    {
        barrier.srcAccessMask = accesses(barrier.srcAccessMask);
        barrier.dstAccessMask = accesses(barrier.dstAccessMask);
        if constexpr (requires { barrier.srcStageMask; }) {
            barrier.srcStageMask = stages(barrier.srcStageMask);
            barrier.dstStageMask = stages(barrier.dstStageMask);
        }
    }

private:
    VkPipelineStageFlags2 m_readers = 0;  // that may read what the stage of indirect commands does
};

}  // namespace millrace::layer
