// SPDX-License-Identifier: Apache-2.0
// Shader stages as the driver may see them: where the layer runs mesh shaders, it knows no such stages.
#pragma once

#include <vulkan/vulkan.h>

#include "layer/loader/device.h"

namespace millrace::layer {

inline constexpr VkShaderStageFlags kMeshStages = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;

// True if `flags` name stages that the driver does not know. VK_SHADER_STAGE_ALL is a value of its own, which every
// driver takes.
inline bool hidesStages(const Device& device, VkShaderStageFlags flags)
{
    return device.usesMesh() && flags != VK_SHADER_STAGE_ALL && (flags & kMeshStages);
}

// Of a binding of a set layout: task and mesh shaders run as compute shaders, and vertex shaders may compute again what
// mesh shaders have.
inline VkShaderStageFlags driverBindingStages(const Device& device, VkShaderStageFlags flags)
{
    if (!hidesStages(device, flags))
        return flags;
    const VkShaderStageFlags again = flags & VK_SHADER_STAGE_MESH_BIT_EXT ? VK_SHADER_STAGE_VERTEX_BIT : 0;
    return (flags & ~kMeshStages) | VK_SHADER_STAGE_COMPUTE_BIT | again;
}

// In place of a bind point.
inline VkShaderStageFlags driverBindPointStages(const Device& device, VkShaderStageFlags flags)
{
    return hidesStages(device, flags) ? (flags & ~kMeshStages) | VK_SHADER_STAGE_VERTEX_BIT : flags;
}

// Of push constants: task and mesh shaders load theirs by address. 0: the driver needs none.
inline VkShaderStageFlags driverPushStages(const Device& device, VkShaderStageFlags flags)
{
    return hidesStages(device, flags) ? flags & ~kMeshStages : flags;
}

// A structure that a command is given, with `stageFlags` in place of a bind point.
template <typename Info>
Info withDriverStages(const Device& device, const Info& info)
{
    Info copy = info;
    copy.stageFlags = driverBindPointStages(device, info.stageFlags);
    return copy;
}

}  // namespace millrace::layer
