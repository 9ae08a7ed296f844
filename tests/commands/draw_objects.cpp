// SPDX-License-Identifier: Apache-2.0
// The shader objects of generated draws, with all state that they need.
#include "commands/draws.h"
#include "shaders/generated_test_shaders.h"

namespace millrace::commandtest {

// Their set layout is gone when variants are made.
void Draws::createObjects(bool hasVertices)
{
    const VkDescriptorSetLayout setLayout =
        m_device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, VK_SHADER_STAGE_VERTEX_BIT);
    const VkPushConstantRange range{kStages, 0, kPushWords * 4};
    const std::span<const uint32_t> codes[] = {vertexCode(hasVertices), shaders::points_fragment};
    for (uint32_t i = 0; i < 2; ++i) {
        VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
        info.flags = VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT;
        info.stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
        info.nextStage = i == 0 ? VK_SHADER_STAGE_FRAGMENT_BIT : 0;
        info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        info.codeSize = codes[i].size_bytes();
        info.pCode = codes[i].data();
        info.pName = "main";
        info.setLayoutCount = 1;
        info.pSetLayouts = &setLayout;
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        VkShaderEXT& shader = m_objects[hasVertices][i];
        MILLRACE_CHECK(generated.createShaders(m_device.handle, 1, &info, nullptr, &shader));
        m_device.onDestroy([this, shader] { generated.destroyShader(m_device.handle, shader, nullptr); });
    }
}

void Draws::bindObjects(VkCommandBuffer cmd, bool hasVertices) const
{
    const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    generated.cmdBindShaders(cmd, 2, stages, m_objects[hasVertices]);
    const auto set = [&]<typename Function, typename... Args>(Function, const char* name, Args... args) {
        m_device.get<Function>(name)(cmd, args...);
    };
    set(PFN_vkCmdSetRasterizerDiscardEnable(), "vkCmdSetRasterizerDiscardEnable", VK_FALSE);
    set(PFN_vkCmdSetPrimitiveTopology(), "vkCmdSetPrimitiveTopology", VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
    set(PFN_vkCmdSetPrimitiveRestartEnable(), "vkCmdSetPrimitiveRestartEnable", VK_FALSE);
    set(PFN_vkCmdSetRasterizationSamplesEXT(), "vkCmdSetRasterizationSamplesEXT", VK_SAMPLE_COUNT_1_BIT);
    const VkSampleMask mask = ~0u;
    set(PFN_vkCmdSetSampleMaskEXT(), "vkCmdSetSampleMaskEXT", VK_SAMPLE_COUNT_1_BIT, &mask);
    set(PFN_vkCmdSetAlphaToCoverageEnableEXT(), "vkCmdSetAlphaToCoverageEnableEXT", VK_FALSE);
    set(PFN_vkCmdSetPolygonModeEXT(), "vkCmdSetPolygonModeEXT", VK_POLYGON_MODE_FILL);
    set(PFN_vkCmdSetCullMode(), "vkCmdSetCullMode", VkCullModeFlags{0});
    set(PFN_vkCmdSetFrontFace(), "vkCmdSetFrontFace", VK_FRONT_FACE_CLOCKWISE);
    set(PFN_vkCmdSetDepthTestEnable(), "vkCmdSetDepthTestEnable", VK_FALSE);
    set(PFN_vkCmdSetDepthWriteEnable(), "vkCmdSetDepthWriteEnable", VK_FALSE);
    set(PFN_vkCmdSetDepthBiasEnable(), "vkCmdSetDepthBiasEnable", VK_FALSE);
    set(PFN_vkCmdSetStencilTestEnable(), "vkCmdSetStencilTestEnable", VK_FALSE);
    const VkBool32 blend = VK_FALSE;
    set(PFN_vkCmdSetColorBlendEnableEXT(), "vkCmdSetColorBlendEnableEXT", 0u, 1u, &blend);
    const VkColorComponentFlags components = 0xf;
    set(PFN_vkCmdSetColorWriteMaskEXT(), "vkCmdSetColorWriteMaskEXT", 0u, 1u, &components);
    setVertexInput(cmd, hasVertices);
}

void Draws::setVertexInput(VkCommandBuffer cmd, bool hasVertices) const
{
    constexpr VkStructureType kBinding = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT;
    constexpr VkStructureType kAttribute = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT;
    std::vector<VkVertexInputBindingDescription2EXT> bindings;
    std::vector<VkVertexInputAttributeDescription2EXT> attributes;
    for (const VkVertexInputBindingDescription& b : kBindings)
        bindings.push_back({kBinding, nullptr, b.binding, b.stride, b.inputRate, 1});
    for (const VkVertexInputAttributeDescription& a : kAttributes)
        attributes.push_back({kAttribute, nullptr, a.location, a.binding, a.format, a.offset});
    const auto command = m_device.get<PFN_vkCmdSetVertexInputEXT>("vkCmdSetVertexInputEXT");
    command(cmd, hasVertices ? 2 : 0, bindings.data(), hasVertices ? 3 : 0, attributes.data());
}

}  // namespace millrace::commandtest
