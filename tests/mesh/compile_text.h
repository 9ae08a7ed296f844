// SPDX-License-Identifier: Apache-2.0
// GLSL of graphics stages to SPIR-V while a test runs.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::meshtest {

// For Vulkan 1.3. Fails the test, with the text, where glslang refuses it; no words then.
std::vector<uint32_t> compileText(const std::string& text, VkShaderStageFlagBits stage);

}  // namespace millrace::meshtest
