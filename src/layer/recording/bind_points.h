// SPDX-License-Identifier: Apache-2.0
// Bind points, and the shader stages that newer commands name instead.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <vector>

#include "layer/recording/state_log.h"

namespace millrace::layer {

struct CommandPool;

// Which no driver has.
inline constexpr VkPipelineBindPoint kGraphPoint = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

inline constexpr VkShaderStageFlags kGraphicsStages =
    VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
inline constexpr VkShaderStageFlags kRayTracingStages =
    VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
    VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;

// The bind points that a command with these stages affects, of those that there are on the device and on queues of the
// pool's family: VK_SHADER_STAGE_ALL names others as well.
std::vector<VkPipelineBindPoint> bindPointsOf(const CommandPool& pool, VkShaderStageFlags stages);

// The stages of one bind point, as far as every device knows them that has it.
inline VkShaderStageFlags stagesOf(VkPipelineBindPoint bindPoint)
{
    switch (bindPoint) {
        case VK_PIPELINE_BIND_POINT_COMPUTE:
            return VK_SHADER_STAGE_COMPUTE_BIT;
        case VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR:
            return kRayTracingStages;
        case VK_PIPELINE_BIND_POINT_SUBPASS_SHADING_HUAWEI:
            return VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI;
        default:
            return VK_SHADER_STAGE_ALL_GRAPHICS;
    }
}

// For StateKey::where.
inline uint32_t keyOf(VkPipelineBindPoint bindPoint)
{
    return static_cast<uint32_t>(bindPoint);
}

// Stages in place of a bind point: those that stand for the same bind points are equal, and no bind point is as large.
inline uint32_t keyOf(VkShaderStageFlags stages)
{
    return 0x80000000u | (stages & kGraphicsStages ? 1 : 0) | (stages & VK_SHADER_STAGE_COMPUTE_BIT ? 2 : 0) |
           (stages & kRayTracingStages ? 4 : 0) | (stages & VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI ? 8 : 0);
}

inline uint32_t scopeOf(VkPipelineBindPoint bindPoint)
{
    return bindPoint == VK_PIPELINE_BIND_POINT_COMPUTE ? kScopeCompute : kScopeOther;
}

inline uint32_t scopeOf(VkShaderStageFlags stages)
{
    return stages & VK_SHADER_STAGE_COMPUTE_BIT ? kScopeCompute : kScopeOther;
}

}  // namespace millrace::layer
