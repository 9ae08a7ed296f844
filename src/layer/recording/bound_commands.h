// SPDX-License-Identifier: Apache-2.0
// What the log keeps of commands that bind pipelines, shaders and descriptor sets, and that push constants.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "layer/recording/bind_points.h"
#include "layer/recording/state_log.h"

namespace millrace::layer {

struct BoundPipeline {
    VkPipelineBindPoint bindPoint;
    VkPipeline pipeline;
    uint32_t group;  // of shaders; kWhole: none

    static constexpr uint32_t kWhole = ~0u;

    static StateKey key(VkPipelineBindPoint bindPoint) { return {StateKind::Pipeline, keyOf(bindPoint)}; }
    static std::array<uint32_t, 1> shape(VkPipelineBindPoint bindPoint) { return {keyOf(bindPoint)}; }
    static void replay(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        const auto& bound = *reinterpret_cast<const BoundPipeline*>(payload);
        if (bound.group == kWhole)
            table.CmdBindPipeline(commandBuffer, bound.bindPoint, bound.pipeline);
        else
            table.CmdBindPipelineShaderGroupNV(commandBuffer, bound.bindPoint, bound.pipeline, bound.group);
    }
};

// A shader object for its stage, or none.
struct BoundShader {
    VkShaderStageFlagBits stage;
    VkShaderEXT shader;

    VkPipelineBindPoint bindPoint() const
    {
        return stage == VK_SHADER_STAGE_COMPUTE_BIT ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS;
    }
    StateKey key() const { return {StateKind::Shader, keyOf(bindPoint()), static_cast<uint32_t>(stage)}; }
    std::array<uint32_t, 1> shape() const { return {static_cast<uint32_t>(stage)}; }
    static void replay(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        const auto& bound = *reinterpret_cast<const BoundShader*>(payload);
        // Where the layer runs mesh shaders, the driver does not know their stages.
        constexpr VkShaderStageFlags kMesh = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
        if ((bound.stage & kMesh) && !table.CmdDrawMeshTasksEXT)
            return;
        table.CmdBindShadersEXT(commandBuffer, 1, &bound.stage, &bound.shader);
    }
};

// Followed by the sets and the dynamic offsets.
struct BoundSets {
    VkPipelineBindPoint bindPoint;
    VkPipelineLayout layout;
    uint32_t first;
    uint32_t count;
    uint32_t dynamicCount;

    VkDescriptorSet* sets() { return reinterpret_cast<VkDescriptorSet*>(this + 1); }
    uint32_t* dynamicOffsets() { return reinterpret_cast<uint32_t*>(sets() + count); }

    StateKey key() const { return {StateKind::DescriptorSets, keyOf(bindPoint), first, count}; }
    StateShape shape() const { return {keyOf(bindPoint), first, count, dynamicCount}; }
    size_t bytes() const
    {
        return sizeof(BoundSets) + count * sizeof(VkDescriptorSet) + dynamicCount * sizeof(uint32_t);
    }
    static void replay(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        auto& bound = *reinterpret_cast<BoundSets*>(const_cast<std::byte*>(payload));
        table.CmdBindDescriptorSets(commandBuffer, bound.bindPoint, bound.layout, bound.first, bound.count,
                                    bound.sets(), bound.dynamicCount, bound.dynamicOffsets());
    }
};
static_assert(sizeof(BoundSets) % alignof(VkDescriptorSet) == 0);

// Followed by the bytes, unless the command is kept as it was given.
struct PushedConstants {
    VkPipelineLayout layout;
    VkShaderStageFlags stages;
    VkShaderStageFlags driverStages;  // 0: the driver does not see the command
    uint32_t offset;
    uint32_t size;
    const VkPushConstantsInfo* info;                           // of a command without a layout, else null
    PFN_vkCmdPushConstants2 VkuDeviceDispatchTable::*command;  // that it was given to

    const void* values() const { return info ? info->pValues : this + 1; }
    StateKey key() const { return {StateKind::PushConstants, stages, offset, size}; }
    std::array<uint32_t, 3> shape() const { return {stages, offset, size}; }

    static void replay(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        const auto& pushed = *reinterpret_cast<const PushedConstants*>(payload);
        if (pushed.info)
            (table.*pushed.command)(commandBuffer, pushed.info);
        else if (pushed.driverStages != 0)
            table.CmdPushConstants(commandBuffer, pushed.layout, pushed.driverStages, pushed.offset, pushed.size,
                                   pushed.values());
    }
};

}  // namespace millrace::layer
