// SPDX-License-Identifier: Apache-2.0
// Draws random mesh shaders by the layer, and what is expected of them by vertex shaders.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mesh/mesh_device.h"
#include "mesh/random_shader.h"

namespace millrace::meshtest {

inline constexpr uint32_t kRandomSize = 48;  // pixels each way

// Of which the layer draws: all that it has, index buffers only where very few indices are enough, or nowhere, all
// vertices in memory.
enum class Ways { All, FewIndices, NoIndices, StoredVertices };

class RandomDevice {
public:
    explicit RandomDevice(Ways ways = Ways::All);

    Abilities abilities() const;
    // Pixels layer by layer, row by row, of two draws with other push constants each. Objects live as long as the
    // device. Nothing if the shaders do not compile, which fails the test.
    using Pixels = std::vector<uint32_t>;
    Pixels draw(const RandomShader& shader, uint32_t seed);
    Pixels drawExpected(const RandomShader& shader, uint32_t seed);
    // How often vertex shaders have run for what draw() has drawn into no more than one view. 0: the driver does not
    // say it.
    uint64_t vertexRuns() const { return m_vertexRuns; }

private:
    VkPhysicalDeviceFeatures2 m_core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkPhysicalDeviceShaderDrawParametersFeatures m_parameters{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES};
    VkPhysicalDeviceMultiviewFeatures m_multiview{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
    VkPhysicalDeviceMeshShaderFeaturesEXT m_features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};

    layertest::DeviceOptions options();
    void createLayout();
    void createTarget();
    void createCounter();
    // Texts of all stages in their order; empty ones are left out.
    using StageText = std::pair<VkShaderStageFlagBits, std::string>;
    VkPipeline createPipeline(const std::vector<StageText>& texts, const RandomShader& shader, uint32_t salt);
    void push(VkCommandBuffer cmd, const RandomPush& values) const;
    void drawIndirect(VkCommandBuffer cmd, const RandomShader& shader);
    Pixels drawWith(VkPipeline pipeline, uint32_t seed, uint32_t viewMask, VkQueryPool counter,
                    const std::function<void(VkCommandBuffer, uint32_t)>& draw);
    void countRuns();
    void beginRendering(VkCommandBuffer cmd, uint32_t viewMask) const;
    void copyPixels(VkCommandBuffer cmd, const layertest::Buffer& pixels) const;

    layertest::TestDevice m_device;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    layertest::Image m_target;
    VkQueryPool m_counter = VK_NULL_HANDLE;  // null: the driver has no such
    uint64_t m_vertexRuns = 0;
    PFN_vkCmdDrawMeshTasksEXT m_cmdDraw = nullptr;
    PFN_vkCmdDrawMeshTasksIndirectEXT m_cmdDrawIndirect = nullptr;
    PFN_vkCmdDrawMeshTasksIndirectCountEXT m_cmdDrawIndirectCount = nullptr;
};

}  // namespace millrace::meshtest
