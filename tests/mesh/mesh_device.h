// SPDX-License-Identifier: Apache-2.0
// A device with VK_EXT_mesh_shader, of the driver's or of the layer's, and pipelines that draw cells.
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <string>
#include <vector>

#include "layer/test_device.h"

namespace millrace::meshtest {

// LayerInOnePiece: with the setting "continuation" single. Nodes: the driver's, as nodes of execution graphs by the
// layer. NodesOfLayer: the layer's, likewise.
enum class Provider { Driver, Layer, LayerInOnePiece, Nodes, NodesOfLayer };

// True if the driver under the tests has the extension.
bool driverHasMeshShaders();

// What there is of the extension.
VkPhysicalDeviceMeshShaderFeaturesEXT meshFeaturesOf(VkPhysicalDevice physical);

layertest::InstanceOptions instanceOptions(Provider provider);

inline constexpr VkShaderStageFlags kMeshStages = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;

// How pipelines are made.
enum class Linking { Whole, Libraries, LibrariesOfLibraries, PartAlone };

struct PipelineOptions {
    std::span<const uint32_t> mesh;      // none: cells_mesh
    std::span<const uint32_t> fragment;  // none: cells_fragment
    VkRenderPass renderPass = VK_NULL_HANDLE;
    uint32_t subpass = 0;
    uint32_t viewMask = 0;                            // where there is no render pass
    const VkSpecializationInfo* constants = nullptr;  // of the mesh shader
    std::span<const uint32_t> task;                   // none: there is none
    const char* entry = "main";                       // of the mesh shader
    const void* node = nullptr;                       // chained to its stage
    const void* chain = nullptr;                      // to the pipeline, or to each library
    VkPipelineCreateFlags2 flags = 0;
    Linking linking = Linking::Whole;
    const void* linkChain = nullptr;  // to what first links libraries
};

// What a device has beside mesh shaders.
enum class Beside { Nothing, Graphs, Libraries, ShaderObjects, Conditions, NestedSecondaries };

// True if the driver under the tests has what that needs.
bool driverHas(Beside beside);

class MeshDevice {
public:
    // `trace`: the setting, which has the layer loaded also where the driver draws; empty: none. `tomorrow`: with the
    // extension that no header has (layer/tomorrow.h).
    explicit MeshDevice(Provider by, Beside beside = Beside::Nothing, const std::string& trace = {},
                        bool tomorrow = false);

private:
    VkPhysicalDeviceMeshShaderFeaturesEXT m_features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};

    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT m_libraries{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT};
    VkPhysicalDeviceShaderObjectFeaturesEXT m_objects{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT};
    VkPhysicalDeviceNestedCommandBufferFeaturesEXT m_nested{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT};
    VkPhysicalDeviceConditionalRenderingFeaturesEXT m_conditions{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
    VkPhysicalDeviceVulkan11Features m_v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceFeatures2 m_core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};

    layertest::DeviceOptions options(Beside beside, bool tomorrow);

public:
    const Provider provider;
    layertest::TestDevice device;
    // Set 0: binding 0, a storage buffer of mesh shaders. Push constants: mesh 0..15, fragment 16..31.
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    PFN_vkCmdDrawMeshTasksEXT cmdDraw = nullptr;
    PFN_vkCmdDrawMeshTasksIndirectEXT cmdDrawIndirect = nullptr;
    PFN_vkCmdDrawMeshTasksIndirectCountEXT cmdDrawIndirectCount = nullptr;

    // False: there are no queries of statistics.
    bool hasStatistics() const { return m_core.features.pipelineStatisticsQuery == VK_TRUE; }
    bool hasMeshQueries() const { return m_features.meshShaderQueries == VK_TRUE; }
    bool hasInheritedQueries() const { return m_core.features.inheritedQueries == VK_TRUE; }
    VkQueryPool createQueries(VkQueryType type, VkQueryPipelineStatisticFlags statistics = 0, uint32_t count = 1);
    // Viewport and scissor are dynamic.
    VkPipeline createPipeline(const PipelineOptions& options = {});
    VkPipeline createPipeline(const PipelineOptions& options, VkResult& result);

private:
    VkPipeline create(const VkGraphicsPipelineCreateInfo& info);
    VkPipeline createLinked(const VkGraphicsPipelineCreateInfo& info, const PipelineOptions& options);
};

}  // namespace millrace::meshtest
