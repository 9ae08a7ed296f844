// SPDX-License-Identifier: Apache-2.0
// Limits of VK_EXT_mesh_shader that the layer has from compute and vertex shaders, which may have less than the
// extension asks for.
#pragma once

#include <vulkan/vulkan.h>

#include <string>

namespace millrace::tools {

// "NAME 16384 of 32768" of each that is less than the least of the specification (chapter Limits, table "Required
// Limits"), with commas between them; empty where none is.
std::string limitsBelowMinima(const VkPhysicalDeviceMeshShaderPropertiesEXT& limits);

}  // namespace millrace::tools
