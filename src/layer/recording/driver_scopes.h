// SPDX-License-Identifier: Apache-2.0
// Stages and accesses of barriers as the driver may see them. Where the layer generates commands, the driver does not
// know the stage in which they are preprocessed, and what they read at the stage of indirect commands is read by
// shaders. Where it runs mesh shaders, the driver knows no such stages: they are compute shaders, in front of the
// render pass instance, and what mesh shaders read may be read by vertex shaders once more.
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
        const bool computes = queue & VK_QUEUE_COMPUTE_BIT;
        if (device.usesMesh() && (queue & VK_QUEUE_GRAPHICS_BIT)) {
            m_mesh = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT;
            if (computes)
                m_mesh |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
            m_copies = true;
        }
        m_generates = device.usesCommands() && (queue & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT));
        if (!m_generates)
            return;
        if (computes)
            m_readers |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        if (!(queue & VK_QUEUE_GRAPHICS_BIT))
            return;
        m_readers |= VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
        if (device.enabled.tessellation)
            m_readers |= VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
                         VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT;
        if (device.enabled.geometry)
            m_readers |= VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT;
        if (device.enabled.meshShader && !device.usesMesh())
            m_readers |= VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT;
        if (device.enabled.taskShader && !device.usesMesh())
            m_readers |= VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT;
    }

    // Of dependencies of subpasses: at the outer side there may be any stage, and subpasses name stages of graphics.
    // Copies of indirect commands are made in front of the instance, which waits for what the dependencies say.
    static DriverScopes ofSubpasses(const Device& device)
    {
        DriverScopes scopes(device, VK_QUEUE_GRAPHICS_BIT);
        scopes.m_copies = false;
        return scopes;
    }

    // Inside of a render pass instance, where barriers name stages of graphics alone.
    static DriverScopes inside(const Device& device)
    {
        DriverScopes scopes;
        if (device.usesMesh())
            scopes.m_mesh = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT;
        return scopes;
    }

    // False: everything stays as it is.
    bool change() const { return m_readers != 0 || m_mesh != 0; }

    template <typename Flags>
    Flags stages(Flags flags) const
    {
        constexpr auto kPreprocess = static_cast<Flags>(VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT);
        constexpr auto kIndirect = static_cast<Flags>(VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT);
        flags = meshStages(flags);
        if (m_copies && (flags & kIndirect))
            flags |= static_cast<Flags>(VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
        if (m_readers == 0)
            return flags;
        if (m_generates && (flags & kPreprocess))
            flags = (flags & ~kPreprocess) | kIndirect;
        return flags & kIndirect ? flags | static_cast<Flags>(m_readers) : flags;
    }

    // The same where one stage is wanted: the last of them.
    template <typename Flags>
    Flags singleStage(Flags stage) const
    {
        constexpr auto kMesh =
            static_cast<Flags>(VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT);
        return m_mesh != 0 && (stage & kMesh) ? static_cast<Flags>(VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT) : stage;
    }

    template <typename Flags>
    Flags accesses(Flags flags) const
    {
        constexpr auto kRead = static_cast<Flags>(VK_ACCESS_2_COMMAND_PREPROCESS_READ_BIT_EXT);
        constexpr auto kWrite = static_cast<Flags>(VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_EXT);
        constexpr auto kIndirect = static_cast<Flags>(VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
        if (m_copies && (flags & kIndirect))
            flags |= static_cast<Flags>(VK_ACCESS_2_TRANSFER_READ_BIT);
        if (m_readers == 0)
            return flags;
        if (flags & kIndirect)
            flags |= static_cast<Flags>(VK_ACCESS_2_SHADER_READ_BIT);
        if (!m_generates)
            return flags;
        if (flags & kRead)
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
    template <typename Flags>
    Flags meshStages(Flags flags) const
    {
        constexpr auto kMesh = static_cast<Flags>(VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT);
        constexpr auto kTask = static_cast<Flags>(VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT);
        // Which have them as parts.
        constexpr auto kGroups = static_cast<Flags>(VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT |
                                                    VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT);
        constexpr auto kCompute = static_cast<Flags>(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
        const auto own = static_cast<Flags>(m_mesh);
        if (own == 0)
            return flags;
        if (flags & kMesh)
            flags |= own;
        if (flags & kTask)
            flags |= own & kCompute ? kCompute : own;
        if (flags & kGroups)
            flags |= own & kCompute;
        return flags & ~(kMesh | kTask);
    }

    VkPipelineStageFlags2 m_readers = 0;  // that may read what the stage of indirect commands does
    bool m_copies = false;                // indirect commands, which the layer reads copies of
    bool m_generates = false;             // commands, so that the driver does not know the stage for that
    VkPipelineStageFlags2 m_mesh = 0;     // in place of the stages of mesh shaders; 0: the driver knows them
};

}  // namespace millrace::layer
