// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/own_objects.h"

#include "layer/loader/device.h"
#include "layer/objects/shader_modules.h"

namespace millrace::layer {

bool isOurs(const Device& device, VkObjectType type, uint64_t handle)
{
    if (type == VK_OBJECT_TYPE_PIPELINE)
        return device.graphObjects.find(handle) != nullptr;
    if (type == VK_OBJECT_TYPE_INDIRECT_COMMANDS_LAYOUT_EXT || type == VK_OBJECT_TYPE_INDIRECT_COMMANDS_LAYOUT_NV)
        return device.indirectLayouts.find(handle) != nullptr;
    if (type == VK_OBJECT_TYPE_INDIRECT_EXECUTION_SET_EXT)
        return device.executionSets.find(handle) != nullptr;
    if (type != VK_OBJECT_TYPE_SHADER_MODULE)
        return false;
    const ShaderModule* module = device.shaderModules.find(handle);
    return module && module->ours;
}

}  // namespace millrace::layer
