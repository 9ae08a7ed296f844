// SPDX-License-Identifier: Apache-2.0
// From the GLSL450 memory model to the Vulkan memory model.
#pragma once

#include "spirv/module.h"

namespace millrace::shader {

// False if something is declared Coherent or Volatile, which would have to become operands of each access, and with
// OpCopyMemory.
bool mayUseVulkanMemoryModel(const spirv::Module& module);

// Accesses of memory and images that others can see become non-private, and barriers make them available and visible:
// what drivers promise without this model for memory that is not declared Coherent, and more than the model would.
// Nothing happens in a module that has the model. Requires: mayUseVulkanMemoryModel(), a device with
// vulkanMemoryModelDeviceScope.
void useVulkanMemoryModel(spirv::Module& module);

}  // namespace millrace::shader
