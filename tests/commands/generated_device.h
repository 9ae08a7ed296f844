// SPDX-License-Identifier: Apache-2.0
// A device with VK_EXT_device_generated_commands, of the driver's or of the layer's.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

#include "layer/test_device.h"

namespace millrace::commandtest {

enum class Provider { Driver, Layer };

// True if the driver under the tests has the extension.
bool driverHasGeneratedCommands();

// The same of another one.
bool driverHas(const char* extension);

// True if it has shaderDrawParameters: shaders of the tests read less without.
bool driverHasDrawParameters();

// True if it has what draws need of which the device says how many there are: drawIndirectCount for as many sequences
// as there may be, and what those in one command need.
bool driverCountsDraws();

// True if it has multiDrawIndirect and shaderDrawParameters: one command draws several.
bool driverNumbersDraws();

// True if it has pipelineStatisticsQuery.
bool driverCountsStatistics();

// True if it has drawIndirectFirstInstance: draws in memory begin with instance 0 without.
bool driverStartsInstances();

// True if it has multiviewMeshShader.
bool driverHasMeshViews();

struct GeneratedOptions {
    bool draws = false;           // features for what the shaders of draws read
    bool graphs = false;          // execution graphs
    bool libraries = false;       // graphics pipelines of libraries
    bool objects = false;         // shader objects
    bool dynamicInput = false;    // vertex input that commands set
    bool narrow = false;          // the layer uses no 64-bit integers
    bool mesh = false;            // VK_EXT_mesh_shader,
    bool ownMesh = false;         // of the layer's
    bool meshAlone = false;       // is what the layer is asked for (setting "enable"), not generated commands
    bool recorder = false;        // a layer below notes what it sees (layer/recorder.h)
    bool validate = false;        // the layer checks streams
    bool separate = false;        // pipelines of execution sets never become one
    bool asRecorded = false;      // generated commands run what was in their sets when they were recorded
    bool conditional = false;     // conditional rendering
    bool info = false;            // messages of severity info are there, too
    bool twoQueues = false;       // what is explicit is preprocessed on another queue, where there is one
    bool streams = false;         // VK_NV_device_generated_commands and _compute beside it
    uint32_t views = 0;           // of Draws, a mask: each view draws its own
    const char* trace = nullptr;  // the layer's setting, or null
    bool tomorrow = false;        // what is created has a structure that no header has (layer/tomorrow.h)
};

layertest::InstanceOptions instanceOptions(Provider provider, const GeneratedOptions& with = {});

class GeneratedDevice {
public:
    explicit GeneratedDevice(Provider by, const GeneratedOptions& with = {});

private:
    VkPhysicalDeviceVulkan11Features m_v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT m_features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT};

    VkPhysicalDeviceFeatures2 m_core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};

    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT m_libraries{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT};
    VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT m_vertexInput{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT};
    VkPhysicalDeviceConditionalRenderingFeaturesEXT m_conditional{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
    VkPhysicalDeviceShaderObjectFeaturesEXT m_objects{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT};

    VkPhysicalDeviceMeshShaderFeaturesEXT m_mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesNV m_streams{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_NV};
    VkPhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV m_computeStreams{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_COMPUTE_FEATURES_NV};

    layertest::DeviceOptions options(const GeneratedOptions& with);

public:
    const Provider provider;
    const bool hasMesh;      // VK_EXT_mesh_shader is enabled
    const bool hasTomorrow;  // pipelines and shader objects have the structure
    // dynamicGeneratedPipelineLayout, which is enabled then.
    bool hasDynamicLayouts() const { return m_features.dynamicGeneratedPipelineLayout; }
    layertest::TestDevice device;
    VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_EXT};

    PFN_vkCreateIndirectCommandsLayoutEXT createLayout = nullptr;
    PFN_vkDestroyIndirectCommandsLayoutEXT destroyLayout = nullptr;
    PFN_vkCreateIndirectExecutionSetEXT createSet = nullptr;
    PFN_vkDestroyIndirectExecutionSetEXT destroySet = nullptr;
    PFN_vkUpdateIndirectExecutionSetPipelineEXT updateSet = nullptr;
    PFN_vkUpdateIndirectExecutionSetShaderEXT updateShaders = nullptr;
    PFN_vkGetGeneratedCommandsMemoryRequirementsEXT getRequirements = nullptr;
    PFN_vkCreateShadersEXT createShaders = nullptr;
    PFN_vkDestroyShaderEXT destroyShader = nullptr;
    PFN_vkCmdBindShadersEXT cmdBindShaders = nullptr;
    PFN_vkCmdPreprocessGeneratedCommandsEXT cmdPreprocess = nullptr;
    PFN_vkCmdExecuteGeneratedCommandsEXT cmdExecute = nullptr;

    // Memory for preprocessing as the requirements say, without any where they say none. It begins at `offset` in its
    // buffer.
    layertest::Buffer createPreprocess(const VkGeneratedCommandsMemoryRequirementsInfoEXT& info,
                                       VkDeviceSize offset = 0);
    // In a command buffer of its own, which is submitted: with the state of another.
    void preprocess(const VkGeneratedCommandsInfoEXT& info, VkCommandBuffer state);
    // What generated commands read as they are given: streams and counts.
    layertest::Buffer createStream(const std::vector<uint32_t>& words);
    // A sequence count for the device. Vulkan wants none beyond maxSequenceCount
    // (VUID-VkGeneratedCommandsInfoEXT-sequenceCountAddress-11068), so only the layer, which clamps, is given such.
    layertest::Buffer createCount(uint32_t count, uint32_t maxSequenceCount);
};

}  // namespace millrace::commandtest
