// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/bind_points.h"

#include "layer/recording/command_pool.h"

namespace millrace::layer {

std::vector<VkPipelineBindPoint> bindPointsOf(const CommandPool& pool, VkShaderStageFlags stages)
{
    const Device& device = pool.device;
    const VkQueueFlags queue =
        pool.queueFamily < device.queueFamilies.size() ? device.queueFamilies[pool.queueFamily].queueFlags : 0;
    const bool draws = queue & VK_QUEUE_GRAPHICS_BIT;
    const bool computes = queue & VK_QUEUE_COMPUTE_BIT;
    std::vector<VkPipelineBindPoint> points;
    if (draws && (stages & kGraphicsStages))
        points.push_back(VK_PIPELINE_BIND_POINT_GRAPHICS);
    if (computes && (stages & VK_SHADER_STAGE_COMPUTE_BIT))
        points.push_back(VK_PIPELINE_BIND_POINT_COMPUTE);
    if (computes && device.enabled.rayTracing && (stages & kRayTracingStages))
        points.push_back(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
    if (draws && device.enabled.subpassShading && (stages & VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI))
        points.push_back(VK_PIPELINE_BIND_POINT_SUBPASS_SHADING_HUAWEI);
    return points;
}

}  // namespace millrace::layer
