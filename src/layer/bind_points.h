// SPDX-License-Identifier: Apache-2.0
// Bind points, and the shader stages that newer commands name instead.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <vector>

#include "layer/state_log.h"

namespace millrace::layer {

inline constexpr VkShaderStageFlags kGraphicsStages =
    VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
inline constexpr VkShaderStageFlags kRayTracingStages =
    VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
    VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;

// The bind points that a command with these stages affects.
inline std::vector<VkPipelineBindPoint> bindPointsOf(VkShaderStageFlags stages)
{
    std::vector<VkPipelineBindPoint> points;
    if (stages & kGraphicsStages)
        points.push_back(VK_PIPELINE_BIND_POINT_GRAPHICS);
    if (stages & VK_SHADER_STAGE_COMPUTE_BIT)
        points.push_back(VK_PIPELINE_BIND_POINT_COMPUTE);
    if (stages & kRayTracingStages)
        points.push_back(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
    if (stages & VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI)
        points.push_back(VK_PIPELINE_BIND_POINT_SUBPASS_SHADING_HUAWEI);
    return points;
}

// For StateKey::where. Bind points of extensions are large numbers that differ in their lower bits.
inline uint16_t keyOf(VkPipelineBindPoint bindPoint)
{
    return static_cast<uint16_t>(bindPoint);
}

// Stages in place of a bind point: one of a kind, so that no other command's key is equal.
inline uint16_t keyOf(VkShaderStageFlags stages)
{
    return static_cast<uint16_t>(0x8000 | (stages & kGraphicsStages ? 1 : 0) |
                                 (stages & VK_SHADER_STAGE_COMPUTE_BIT ? 2 : 0) | (stages & kRayTracingStages ? 4 : 0) |
                                 (stages & VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI ? 8 : 0));
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
