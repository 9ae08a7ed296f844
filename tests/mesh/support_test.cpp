// SPDX-License-Identifier: Apache-2.0
// What the layer says of VK_EXT_mesh_shader.
#include <gtest/gtest.h>

#include <algorithm>

#include "mesh/mesh_device.h"

namespace millrace::meshtest {

namespace {

// Of vertex shaders, which draw what mesh shaders have written.
VkBool32 hasShadingRates(VkPhysicalDevice physical)
{
    if (!layertest::lists(layertest::deviceExtensions(physical), VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME))
        return VK_FALSE;
    VkPhysicalDeviceFragmentShadingRateFeaturesKHR rates{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &rates};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    return rates.primitiveFragmentShadingRate;
}

// Of the driver.
VkPhysicalDeviceMultiviewProperties multiviewOf(VkPhysicalDevice physical, VkBool32& isThere)
{
    VkPhysicalDeviceMultiviewFeatures multiview{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &multiview};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    isThere = multiview.multiview;
    VkPhysicalDeviceMultiviewProperties own{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &own};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    return own;
}

TEST(MeshSupport, Setting_ListsTheExtensionAndWhatIsThereOfIt)
{
    const layertest::TestInstance instance(instanceOptions(Provider::Layer));
    EXPECT_TRUE(layertest::lists(layertest::deviceExtensions(instance.physical), VK_EXT_MESH_SHADER_EXTENSION_NAME));
    const VkPhysicalDeviceMeshShaderFeaturesEXT features = meshFeaturesOf(instance.physical);
    EXPECT_EQ(features.meshShader, VK_TRUE);
    EXPECT_EQ(features.taskShader, VK_TRUE);
    EXPECT_EQ(features.primitiveFragmentShadingRateMeshShader, hasShadingRates(instance.physical));
    EXPECT_EQ(features.meshShaderQueries, VK_TRUE);
}

// Each shader of the layer's may run for each view that the driver has.
TEST(MeshSupport, Views_AreThoseOfTheDriver)
{
    const layertest::TestInstance instance(instanceOptions(Provider::Layer));
    VkBool32 isThere = VK_FALSE;
    const VkPhysicalDeviceMultiviewProperties views = multiviewOf(instance.physical, isThere);
    EXPECT_EQ(meshFeaturesOf(instance.physical).multiviewMeshShader, isThere);
    VkPhysicalDeviceMeshShaderPropertiesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &mesh};
    vkGetPhysicalDeviceProperties2(instance.physical, &all);
    EXPECT_EQ(mesh.maxMeshMultiviewViewCount, isThere ? views.maxMultiviewViewCount : 1u);
}

TEST(MeshSupport, Properties_AreWhatComputeShadersHave)
{
    const layertest::TestInstance instance(instanceOptions(Provider::Layer));
    VkPhysicalDeviceMeshShaderPropertiesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &mesh};
    vkGetPhysicalDeviceProperties2(instance.physical, &all);
    const VkPhysicalDeviceLimits& limits = all.properties.limits;
    EXPECT_GE(mesh.maxMeshWorkGroupTotalCount, 1u << 22);
    EXPECT_EQ(mesh.maxMeshWorkGroupCount[0], 65535u);
    EXPECT_EQ(mesh.maxMeshWorkGroupInvocations, limits.maxComputeWorkGroupInvocations);
    EXPECT_GE(mesh.maxMeshWorkGroupSize[2], limits.maxComputeWorkGroupSize[2]);
    for (size_t dimension = 0; dimension < 3; ++dimension) {
        EXPECT_GE(mesh.maxMeshWorkGroupSize[dimension], 128u);  // what the extension asks for
        EXPECT_EQ(mesh.maxTaskWorkGroupSize[dimension], mesh.maxMeshWorkGroupSize[dimension]);
    }
    EXPECT_LT(mesh.maxMeshSharedMemorySize, limits.maxComputeSharedMemorySize);  // the layer has some
    EXPECT_GE(mesh.maxMeshSharedMemorySize, limits.maxComputeSharedMemorySize - 64);
    EXPECT_EQ(mesh.maxMeshOutputVertices, 256u);
    EXPECT_EQ(mesh.maxMeshOutputPrimitives, 256u);
    EXPECT_GE(mesh.maxMeshOutputMemorySize, 32768u);
    EXPECT_GE(mesh.maxTaskWorkGroupTotalCount, 1u << 22);
    EXPECT_GE(mesh.maxTaskPayloadSize, 16384u);
}

// What the extension asks for (chapter Limits, table "Required Limits"), as far as the device has it: a device of
// Vulkan 1.3 may have less.
TEST(MeshSupport, Limits_AreTheExtensionsOrTheDevices)
{
    const layertest::TestInstance instance(instanceOptions(Provider::Layer));
    VkPhysicalDeviceMeshShaderPropertiesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &mesh};
    vkGetPhysicalDeviceProperties2(instance.physical, &all);
    const VkPhysicalDeviceLimits& limits = all.properties.limits;
    const uint32_t shared = limits.maxComputeSharedMemorySize;
    const uint32_t components = std::min(limits.maxVertexOutputComponents, limits.maxFragmentInputComponents);
    EXPECT_GE(mesh.maxTaskSharedMemorySize, std::min(shared, 32768u));
    EXPECT_GE(mesh.maxTaskPayloadAndSharedMemorySize, std::min(shared, 32768u));
    EXPECT_GE(mesh.maxMeshSharedMemorySize, std::min(shared - 64, 28672u));
    EXPECT_GE(mesh.maxMeshPayloadAndSharedMemorySize, std::min(shared - 64, 28672u));
    EXPECT_GE(mesh.maxMeshOutputComponents, std::min(components, 128u));
    EXPECT_LE(mesh.maxTaskSharedMemorySize, shared);
    EXPECT_LE(mesh.maxMeshSharedMemorySize, shared);
    EXPECT_GE(mesh.maxMeshOutputMemorySize, 32768u);
    EXPECT_GE(mesh.maxMeshPayloadAndOutputMemorySize, 48128u);
    EXPECT_GE(mesh.maxMeshOutputLayers, 8u);
    EXPECT_LE(mesh.meshOutputPerVertexGranularity, 32u);
    EXPECT_LE(mesh.meshOutputPerPrimitiveGranularity, 32u);
    for (const uint32_t invocations : {mesh.maxTaskWorkGroupInvocations, mesh.maxMeshWorkGroupInvocations})
        EXPECT_GE(invocations, 128u);
    for (size_t dimension = 0; dimension < 3; ++dimension) {
        EXPECT_GE(mesh.maxTaskWorkGroupCount[dimension], 65535u);
        EXPECT_GE(mesh.maxMeshWorkGroupCount[dimension], 65535u);
    }
}

// On drivers without mesh shaders the driver names neither stage.
TEST(MeshSupport, Subgroups_AreThoseOfComputeShaders)
{
    const layertest::TestInstance instance(instanceOptions(Provider::Layer));
    VkPhysicalDeviceSubgroupSizeControlProperties control{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, &control};
    VkPhysicalDeviceProperties2 chained{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroups};
    vkGetPhysicalDeviceProperties2(instance.physical, &chained);
    VkPhysicalDeviceVulkan13Properties v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &v13};
    VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v11};
    vkGetPhysicalDeviceProperties2(instance.physical, &core);
    constexpr VkShaderStageFlags kOwn = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    for (const VkShaderStageFlags stages : {subgroups.supportedStages, v11.subgroupSupportedStages,
                                            control.requiredSubgroupSizeStages, v13.requiredSubgroupSizeStages}) {
        const bool ofCompute = (stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
        EXPECT_EQ(stages & kOwn, ofCompute ? kOwn : 0u);
    }
    EXPECT_EQ(subgroups.supportedStages & kOwn, kOwn);  // of all drivers of Vulkan 1.1 compute shaders have some
}

// The setting alone decides.
TEST(MeshSupport, NoSetting_TheDriversOwn)
{
    layertest::InstanceOptions options;
    options.settings = {{"force_enable", "true"}};
    const layertest::TestInstance instance(options);
    EXPECT_EQ(layertest::lists(layertest::deviceExtensions(instance.physical), VK_EXT_MESH_SHADER_EXTENSION_NAME),
              driverHasMeshShaders());
}

TEST(MeshSupport, DriverHasIt_StaysTheDrivers)
{
    if (!driverHasMeshShaders())
        GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
    layertest::InstanceOptions options;
    options.settings = {{"enable", "mesh_shaders"}};
    const layertest::TestInstance instance(options);
    options.emulation = false;
    options.settings.clear();
    const layertest::TestInstance plain(options);
    EXPECT_EQ(meshFeaturesOf(instance.physical).taskShader, meshFeaturesOf(plain.physical).taskShader);
}

VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT commandsOf(VkPhysicalDevice physical)
{
    VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT commands{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &commands};
    vkGetPhysicalDeviceProperties2(physical, &all);
    return commands;
}

bool listsCommands(VkPhysicalDevice physical)
{
    return layertest::lists(layertest::deviceExtensions(physical), VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
}

// The driver would read the layer's pipelines as its own.
TEST(MeshSupport, CommandsGeneratedByTheDriver_DrawNoMeshShadersOfTheLayers)
{
    layertest::InstanceOptions options = instanceOptions(Provider::Layer);
    options.settings["disable"] = "mesh_commands";
    const layertest::TestInstance instance(options);
    const auto commands = commandsOf(instance.physical);
    EXPECT_EQ(commands.supportedIndirectCommandsShaderStages & kMeshStages, 0u);
    EXPECT_EQ(commands.supportedIndirectCommandsShaderStagesPipelineBinding & kMeshStages, 0u);
    EXPECT_EQ(commands.supportedIndirectCommandsShaderStagesShaderBinding & kMeshStages, 0u);
    EXPECT_EQ((commands.supportedIndirectCommandsShaderStages & VK_SHADER_STAGE_VERTEX_BIT) != 0,
              listsCommands(instance.physical));
}

// Unasked for: whoever uses both would have to do without one of them.
TEST(MeshSupport, DriverGeneratesCommands_TheLayerDoesForItsMeshShaders)
{
    const layertest::TestInstance instance(instanceOptions(Provider::Layer));
    const auto commands = commandsOf(instance.physical);
    const VkShaderStageFlags expected = listsCommands(instance.physical) ? kMeshStages : 0u;
    EXPECT_EQ(commands.supportedIndirectCommandsShaderStages & kMeshStages, expected);
    EXPECT_EQ(commands.supportedIndirectCommandsShaderStagesPipelineBinding & kMeshStages, expected);
    // Nobody asked for that one: it is there where the driver has it.
    layertest::InstanceOptions options;
    options.emulation = false;
    const layertest::TestInstance plain(options);
    const char* const streams = VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME;
    EXPECT_EQ(layertest::lists(layertest::deviceExtensions(instance.physical), streams),
              layertest::lists(layertest::deviceExtensions(plain.physical), streams));
}

// A device without mesh shaders has the driver's commands, and one with them the layer's: both can do what is said.
TEST(MeshSupport, CommandsWhereTheDriverHasIt_LimitsAreThoseOfBoth)
{
    layertest::InstanceOptions options;
    options.emulation = false;
    const layertest::TestInstance plain(options);
    if (!listsCommands(plain.physical))
        GTEST_SKIP() << "the driver lacks VK_EXT_device_generated_commands";
    options = instanceOptions(Provider::Layer);
    const layertest::TestInstance both(options);
    options.settings["enable"] = "generated_commands, mesh_shaders";
    const layertest::TestInstance layers(options);
    const auto drivers = commandsOf(plain.physical), own = commandsOf(layers.physical),
               said = commandsOf(both.physical);
    EXPECT_EQ(said.maxIndirectPipelineCount, std::min(drivers.maxIndirectPipelineCount, own.maxIndirectPipelineCount));
    EXPECT_EQ(said.maxIndirectSequenceCount, std::min(drivers.maxIndirectSequenceCount, own.maxIndirectSequenceCount));
    EXPECT_EQ(said.maxIndirectCommandsTokenCount,
              std::min(drivers.maxIndirectCommandsTokenCount, own.maxIndirectCommandsTokenCount));
    EXPECT_EQ(said.maxIndirectCommandsIndirectStride,
              std::min(drivers.maxIndirectCommandsIndirectStride, own.maxIndirectCommandsIndirectStride));
    EXPECT_EQ(said.supportedIndirectCommandsShaderStages & ~kMeshStages,
              drivers.supportedIndirectCommandsShaderStages & own.supportedIndirectCommandsShaderStages & ~kMeshStages);
    EXPECT_EQ(said.deviceGeneratedCommandsTransformFeedback, VK_FALSE);
}

}  // namespace

}  // namespace millrace::meshtest
