// SPDX-License-Identifier: Apache-2.0
#include "glsl/glslang_shader.h"

namespace millrace::glsl {

void initializeGlslang()
{
    static const bool once = glslang::InitializeProcess();  // glslang counts these calls
    (void)once;
}

void setTarget(glslang::TShader& shader, EShLanguage stage)
{
    shader.setEnvInput(glslang::EShSourceGlsl, stage, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
    shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
}

}  // namespace millrace::glsl
