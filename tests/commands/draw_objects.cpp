// SPDX-License-Identifier: Apache-2.0
// The shader objects of generated draws, with all state that they need.
#include "commands/draws.h"
#include "layer/tomorrow.h"
#include "shaders/generated_test_shaders.h"

namespace millrace::commandtest {

VkShaderEXT Draws::createObject(VkShaderStageFlagBits stage, std::span<const uint32_t> code, uint32_t salt)
{
    const VkPushConstantRange range{stages(), 0, kPushWords * 4};
    const VkSpecializationMapEntry entry{3, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &salt};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.flags = VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT;
    info.stage = stage;
    if (stage != VK_SHADER_STAGE_FRAGMENT_BIT)
        info.nextStage =
            stage == VK_SHADER_STAGE_TASK_BIT_EXT ? VK_SHADER_STAGE_MESH_BIT_EXT : VK_SHADER_STAGE_FRAGMENT_BIT;
    if (code.data() == meshCode(false).data())
        info.flags |= VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = code.size_bytes();
    info.pCode = code.data();
    info.pName = "main";
    info.setLayoutCount = 1;
    info.pSetLayouts = &m_setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    info.pSpecializationInfo = &specialization;
    const VkTomorrowEXT tomorrow = layertest::tomorrow();
    if (generated.hasTomorrow)
        info.pNext = &tomorrow;
    VkShaderEXT shader = VK_NULL_HANDLE;
    MILLRACE_CHECK(generated.createShaders(m_device.handle, 1, &info, nullptr, &shader));
    m_device.onDestroy([this, shader] { generated.destroyShader(m_device.handle, shader, nullptr); });
    return shader;
}

void Draws::createObjects(bool hasVertices)
{
    std::vector<VkShaderEXT> vertex, fragment;
    for (uint32_t salt : kDrawSalts)
        vertex.push_back(createObject(VK_SHADER_STAGE_VERTEX_BIT, vertexCode(hasVertices), salt));
    for (uint32_t salt : kFragmentSalts)
        fragment.push_back(createObject(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::points_fragment, salt));
    vertex.push_back(createObject(VK_SHADER_STAGE_VERTEX_BIT, vertexCode(hasVertices, true), 0));
    fragment.push_back(createObject(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::points_fragment_more, 0));
    m_objectStages[hasVertices] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    m_objects[hasVertices] = {vertex[0], fragment[0]};
    m_sets[false][hasVertices] = createSetOfObjects({vertex, fragment});
    m_setObjects[hasVertices] = vertex;
    m_setObjects[hasVertices].insert(m_setObjects[hasVertices].end(), fragment.begin(), fragment.end());
}

void Draws::copyObject(const DrawCase& drawn, uint32_t from, uint32_t to)
{
    VkWriteIndirectExecutionSetShaderEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT};
    write.index = to;
    write.shader = m_setObjects[drawn.hasVertices][from];
    generated.updateShaders(m_device.handle, m_sets[false][drawn.hasVertices], 1, &write);
}

void Draws::createMeshObjects(bool hasTasks)
{
    std::vector<VkShaderEXT> mesh;
    for (uint32_t salt : kDrawSalts)
        mesh.push_back(createObject(VK_SHADER_STAGE_MESH_BIT_EXT, meshCode(hasTasks), salt));
    std::vector<std::vector<VkShaderEXT>> byStage{
        mesh, {createObject(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::points_fragment, kFragmentSalts[0])}};
    m_objectStages[hasTasks] = {VK_SHADER_STAGE_MESH_BIT_EXT, VK_SHADER_STAGE_FRAGMENT_BIT};
    if (hasTasks) {
        byStage.push_back({createObject(VK_SHADER_STAGE_TASK_BIT_EXT, taskCode(), 0)});
        m_objectStages[hasTasks].push_back(VK_SHADER_STAGE_TASK_BIT_EXT);
    }
    for (const std::vector<VkShaderEXT>& some : byStage)
        m_objects[hasTasks].push_back(some[0]);
    m_sets[false][hasTasks] = createSetOfObjects(byStage);
}

// Which begins with one of each stage; the others are put in one by one, and the first fragment shader once more.
VkIndirectExecutionSetEXT Draws::createSetOfObjects(const std::vector<std::vector<VkShaderEXT>>& byStage)
{
    std::vector<VkShaderEXT> initial, all;
    for (const std::vector<VkShaderEXT>& some : byStage) {
        initial.push_back(some[0]);
        all.insert(all.end(), some.begin(), some.end());
    }
    VkIndirectExecutionSetShaderLayoutInfoEXT layout{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &m_setLayout;
    const std::vector<VkIndirectExecutionSetShaderLayoutInfoEXT> layouts(byStage.size(), layout);
    const VkPushConstantRange range{stages(), 0, kPushWords * 4};
    VkIndirectExecutionSetShaderInfoEXT of{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT};
    of.shaderCount = static_cast<uint32_t>(initial.size());
    of.pInitialShaders = initial.data();
    of.pSetLayoutInfos = layouts.data();
    of.maxShaderCount = static_cast<uint32_t>(all.size());
    of.pushConstantRangeCount = 1;
    of.pPushConstantRanges = &range;
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
    info.info.pShaderInfo = &of;
    VkIndirectExecutionSetEXT set = VK_NULL_HANDLE;
    MILLRACE_CHECK(generated.createSet(m_device.handle, &info, nullptr, &set));
    m_device.onDestroy([this, set] { generated.destroySet(m_device.handle, set, nullptr); });
    for (uint32_t i = 1; i < all.size(); ++i) {
        VkWriteIndirectExecutionSetShaderEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT};
        write.index = i;
        write.shader = all[i];
        generated.updateShaders(m_device.handle, set, 1, &write);
    }
    return set;
}

void Draws::bindObjects(VkCommandBuffer cmd, bool hasVertices) const
{
    // What is in front of fragments is of either kind, with mesh shaders or without.
    const VkShaderStageFlagBits others[] = {
        usesMesh(m_maker) ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_MESH_BIT_EXT, VK_SHADER_STAGE_TASK_BIT_EXT};
    if (generated.hasMesh)
        generated.cmdBindShaders(cmd, 2, others, nullptr);
    const std::vector<VkShaderStageFlagBits>& own = m_objectStages[hasVertices];
    generated.cmdBindShaders(cmd, static_cast<uint32_t>(own.size()), own.data(), m_objects[hasVertices].data());
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
