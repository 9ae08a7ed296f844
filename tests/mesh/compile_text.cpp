// SPDX-License-Identifier: Apache-2.0
#include "mesh/compile_text.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <gtest/gtest.h>

namespace millrace::meshtest {

namespace {

EShLanguage languageOf(VkShaderStageFlagBits stage)
{
    switch (stage) {
        case VK_SHADER_STAGE_TASK_BIT_EXT:
            return EShLangTask;
        case VK_SHADER_STAGE_MESH_BIT_EXT:
            return EShLangMesh;
        case VK_SHADER_STAGE_VERTEX_BIT:
            return EShLangVertex;
        default:
            return EShLangFragment;
    }
}

}  // namespace

std::vector<uint32_t> compileText(const std::string& text, VkShaderStageFlagBits stage)
{
    static const bool isReady = glslang::InitializeProcess();
    EXPECT_TRUE(isReady);
    const EShLanguage language = languageOf(stage);
    glslang::TShader shader(language);
    const char* source = text.c_str();
    shader.setStrings(&source, 1);
    shader.setEnvInput(glslang::EShSourceGlsl, language, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
    shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
    std::vector<uint32_t> words;
    const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
    if (!shader.parse(GetDefaultResources(), 460, false, messages)) {
        ADD_FAILURE() << shader.getInfoLog() << text;
        return words;
    }
    glslang::TProgram program;
    program.addShader(&shader);
    if (!program.link(messages)) {
        ADD_FAILURE() << program.getInfoLog() << text;
        return words;
    }
    glslang::GlslangToSpv(*program.getIntermediate(language), words);
    return words;
}

}  // namespace millrace::meshtest
