// SPDX-License-Identifier: Apache-2.0
#include "commands/generated_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "layer/tomorrow.h"

namespace millrace::commandtest {

using layertest::Buffer;
using layertest::DeviceOptions;
using layertest::InstanceOptions;

InstanceOptions instanceOptions(Provider provider, const GeneratedOptions& with)
{
    InstanceOptions options;
    options.emulation = provider == Provider::Layer;
    if (provider == Provider::Layer)
        options.settings = {{"enable", with.meshAlone ? "mesh_shaders"
                                       : with.ownMesh ? "generated_commands, mesh_shaders"
                                                      : "generated_commands"},
                            {"force_enable", "true"}};
    options.info = with.meshAlone || with.info;
    if (with.trace)
        options.settings["trace"] = with.trace;
    options.recorder = with.recorder;
    options.tomorrow = with.tomorrow;
    if (provider == Provider::Layer && with.narrow)
        options.settings["traits"] = "integer_bits=32";
    if (provider == Provider::Layer && with.validate)
        options.settings["validate"] = "true";
    if (provider == Provider::Layer && with.separate)
        options.settings["disable"] = "combined_sets";
    if (provider == Provider::Layer && with.asRecorded)
        options.settings["disable"] = "late_members";
    return options;
}

bool driverHas(const char* extension)
{
    InstanceOptions options;
    options.emulation = false;
    const layertest::TestInstance instance(options);
    return layertest::lists(layertest::deviceExtensions(instance.physical), extension);
}

bool driverHasMeshViews()
{
    InstanceOptions options;
    options.emulation = false;
    const layertest::TestInstance instance(options);
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &mesh};
    vkGetPhysicalDeviceFeatures2(instance.physical, &features);
    return mesh.multiviewMeshShader;
}

namespace {

struct DrawFeatures {
    bool startsInstances, parameters, numbers, counts, statistics;
};

const DrawFeatures& drawFeatures()
{
    static const DrawFeatures features = [] {
        InstanceOptions options;
        options.emulation = false;
        const layertest::TestInstance instance(options);
        VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
        VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12};
        VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
        vkGetPhysicalDeviceFeatures2(instance.physical, &all);
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(instance.physical, &properties);
        const bool isEnough = properties.limits.maxDrawIndirectCount >= 1u << 20;
        return DrawFeatures{
            all.features.drawIndirectFirstInstance == VK_TRUE, v11.shaderDrawParameters == VK_TRUE,
            v11.shaderDrawParameters && all.features.multiDrawIndirect,
            v12.drawIndirectCount && isEnough && v11.shaderDrawParameters && all.features.multiDrawIndirect,
            all.features.pipelineStatisticsQuery == VK_TRUE};
    }();
    return features;
}

}  // namespace

bool driverHasDrawParameters()
{
    return drawFeatures().parameters;
}

bool driverCountsDraws()
{
    return drawFeatures().counts;
}

bool driverCountsStatistics()
{
    return drawFeatures().statistics;
}

bool driverNumbersDraws()
{
    return drawFeatures().numbers;
}

bool driverStartsInstances()
{
    return drawFeatures().startsInstances;
}

bool driverHasGeneratedCommands()
{
    static const bool has = driverHas(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
    return has;
}

namespace {

VkBool32 canHaveDynamicLayouts(Provider provider, const GeneratedOptions& with)
{
    const layertest::TestInstance instance(instanceOptions(provider, with));
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT commands{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &commands};
    vkGetPhysicalDeviceFeatures2(instance.physical, &features);
    return commands.dynamicGeneratedPipelineLayout;
}

}  // namespace

GeneratedDevice::GeneratedDevice(Provider by, const GeneratedOptions& with)
    : provider(by), hasMesh(with.mesh), hasTomorrow(with.tomorrow), device(instanceOptions(by, with), options(with))
{
    createLayout = device.get<PFN_vkCreateIndirectCommandsLayoutEXT>("vkCreateIndirectCommandsLayoutEXT");
    destroyLayout = device.get<PFN_vkDestroyIndirectCommandsLayoutEXT>("vkDestroyIndirectCommandsLayoutEXT");
    createSet = device.get<PFN_vkCreateIndirectExecutionSetEXT>("vkCreateIndirectExecutionSetEXT");
    destroySet = device.get<PFN_vkDestroyIndirectExecutionSetEXT>("vkDestroyIndirectExecutionSetEXT");
    updateSet = device.get<PFN_vkUpdateIndirectExecutionSetPipelineEXT>("vkUpdateIndirectExecutionSetPipelineEXT");
    updateShaders = device.get<PFN_vkUpdateIndirectExecutionSetShaderEXT>("vkUpdateIndirectExecutionSetShaderEXT");
    if (with.objects) {
        createShaders = device.get<PFN_vkCreateShadersEXT>("vkCreateShadersEXT");
        destroyShader = device.get<PFN_vkDestroyShaderEXT>("vkDestroyShaderEXT");
        cmdBindShaders = device.get<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT");
    }
    getRequirements =
        device.get<PFN_vkGetGeneratedCommandsMemoryRequirementsEXT>("vkGetGeneratedCommandsMemoryRequirementsEXT");
    cmdPreprocess = device.get<PFN_vkCmdPreprocessGeneratedCommandsEXT>("vkCmdPreprocessGeneratedCommandsEXT");
    cmdExecute = device.get<PFN_vkCmdExecuteGeneratedCommandsEXT>("vkCmdExecuteGeneratedCommandsEXT");
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
}

DeviceOptions GeneratedDevice::options(const GeneratedOptions& with)
{
    m_features.deviceGeneratedCommands = VK_TRUE;
    m_features.dynamicGeneratedPipelineLayout = canHaveDynamicLayouts(provider, with);
    DeviceOptions options;
    options.extension = with.graphs;
    options.feature = with.graphs;
    options.chain = &m_features;
    options.twoQueues = with.twoQueues;
    options.extensions = {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME};
    if (with.tomorrow)
        options.extensions.push_back(VK_EXT_TOMORROW_EXTENSION_NAME);
    if (with.draws) {
        m_core.features.drawIndirectFirstInstance = drawFeatures().startsInstances;
        m_core.features.pipelineStatisticsQuery = drawFeatures().statistics;
        m_v11.shaderDrawParameters = drawFeatures().parameters;
        m_v11.multiview = with.views != 0;
        m_core.pNext = &m_v11;
        options.first = &m_core;
    }
    if (with.libraries) {
        m_libraries.graphicsPipelineLibrary = VK_TRUE;
        m_features.pNext = &m_libraries;
        options.extensions.insert(options.extensions.end(), {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                                             VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME});
    }
    if (with.mesh) {
        m_mesh.taskShader = m_mesh.meshShader = VK_TRUE;
        m_mesh.multiviewMeshShader = with.views != 0;
        m_mesh.pNext = m_features.pNext;
        m_features.pNext = &m_mesh;
        options.extensions.push_back(VK_EXT_MESH_SHADER_EXTENSION_NAME);
    }
    if (with.streams) {
        m_streams.deviceGeneratedCommands = VK_TRUE;
        m_streams.pNext = &m_computeStreams;
        m_computeStreams.deviceGeneratedCompute = m_computeStreams.deviceGeneratedComputePipelines = VK_TRUE;
        m_computeStreams.pNext = m_features.pNext;
        m_features.pNext = &m_streams;
        options.extensions.insert(options.extensions.end(), {VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
                                                             VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME});
    }
    if (with.dynamicInput) {
        m_vertexInput.vertexInputDynamicState = VK_TRUE;
        m_vertexInput.pNext = m_features.pNext;
        m_features.pNext = &m_vertexInput;
        options.extensions.push_back(VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME);
    }
    if (with.conditional) {
        m_conditional.conditionalRendering = VK_TRUE;
        m_conditional.pNext = m_features.pNext;
        m_features.pNext = &m_conditional;
        options.extensions.push_back(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
    }
    if (with.objects) {
        m_objects.shaderObject = VK_TRUE;
        m_objects.pNext = m_features.pNext;
        m_features.pNext = &m_objects;
        options.extensions.push_back(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
    }
    return options;
}

Buffer GeneratedDevice::createPreprocess(const VkGeneratedCommandsMemoryRequirementsInfoEXT& info, VkDeviceSize offset)
{
    VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    getRequirements(device.handle, &info, &requirements);
    if (requirements.memoryRequirements.size == 0)
        return {};
    Buffer buffer;
    buffer.size = requirements.memoryRequirements.size;
    if (provider == Provider::Layer) {
        // What is behind it may be the memory of another command.
        EXPECT_EQ(buffer.size % std::min<VkDeviceSize>(requirements.memoryRequirements.alignment, 16), 0u);
    }
    VkBufferUsageFlags2CreateInfo usage{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO};
    usage.usage = VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT;
    VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &usage};
    create.size = buffer.size + offset;
    MILLRACE_CHECK(vkCreateBuffer(device.handle, &create, nullptr, &buffer.handle));
    VkMemoryRequirements own;
    vkGetBufferMemoryRequirements(device.handle, buffer.handle, &own);
    const uint32_t types = own.memoryTypeBits & requirements.memoryRequirements.memoryTypeBits;
    EXPECT_NE(types, 0u);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
    allocate.allocationSize = std::max(own.size, requirements.memoryRequirements.size + offset);
    while (!(types >> allocate.memoryTypeIndex & 1))
        ++allocate.memoryTypeIndex;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkAllocateMemory(device.handle, &allocate, nullptr, &memory));
    MILLRACE_CHECK(vkBindBufferMemory(device.handle, buffer.handle, memory, 0));
    device.onDestroy([this, memory, own = buffer.handle] {
        vkDestroyBuffer(device.handle, own, nullptr);
        vkFreeMemory(device.handle, memory, nullptr);
    });
    VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    address.buffer = buffer.handle;
    buffer.address = vkGetBufferDeviceAddress(device.handle, &address) + offset;
    return buffer;
}

void GeneratedDevice::preprocess(const VkGeneratedCommandsInfoEXT& info, VkCommandBuffer state)
{
    const VkCommandBuffer cmd = device.begin();
    cmdPreprocess(cmd, &info, state);
    if (!device.secondQueue) {
        MILLRACE_CHECK(vkEndCommandBuffer(cmd));
        device.submit(cmd);
        return;
    }
    std::swap(device.queue, device.secondQueue);
    device.submitAndWait(cmd);
    std::swap(device.queue, device.secondQueue);
}

Buffer GeneratedDevice::createStream(const std::vector<uint32_t>& words)
{
    Buffer buffer = device.createBuffer(std::max<size_t>(words.size(), 1) * 4, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    std::ranges::copy(words, buffer.words);
    return buffer;
}

Buffer GeneratedDevice::createCount(uint32_t count, uint32_t maxSequenceCount)
{
    return createStream({provider == Provider::Layer ? count : std::min(count, maxSequenceCount)});
}

}  // namespace millrace::commandtest
