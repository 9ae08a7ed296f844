// SPDX-License-Identifier: Apache-2.0
// What glslang has to know of each compute shader.
#pragma once

#include <glslang/Public/ShaderLang.h>

namespace millrace::glsl {

// Before the first shader is made; for the life of the process. Thread-safe.
void initializeGlslang();

// GLSL for Vulkan 1.3 and SPIR-V 1.6.
void setTarget(glslang::TShader& shader, EShLanguage stage);

}  // namespace millrace::glsl
