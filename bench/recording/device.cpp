// SPDX-License-Identifier: Apache-2.0
#include "bench/recording/device.h"

#include <stdexcept>
#include <vector>

#include "shaders/bench_recording_shaders.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kPushBytes = 128;
constexpr uint32_t kSetsOfLayout = 3;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;

VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits bit, VkShaderModule module)
{
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage = bit;
    info.module = module;
    info.pName = "main";
    return info;
}

}  // namespace

void check(VkResult result, const char* what)
{
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(what) + " returns " + std::to_string(result));
}

RecordingInstance::RecordingInstance(Mode mode, const std::string& name) : m_mode(mode)
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    const char* const layer = "VK_LAYER_MILLRACE_emulation";
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    info.enabledLayerCount = mode == Mode::NoLayer ? 0 : 1;
    info.ppEnabledLayerNames = &layer;
    check(vkCreateInstance(&info, nullptr, &m_instance), "vkCreateInstance");
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(m_instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> list(count);
    check(vkEnumeratePhysicalDevices(m_instance, &count, list.data()), "vkEnumeratePhysicalDevices");
    for (VkPhysicalDevice physical : list) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(physical, &properties);
        m_name = properties.deviceName;
        if (m_name.find(name) == std::string::npos)
            continue;
        m_physical = physical;
        return;
    }
    throw std::runtime_error("there is no device named " + name);
}

RecordingInstance::~RecordingInstance()
{
    vkDestroyInstance(m_instance, nullptr);
}

VkDevice RecordingInstance::createDevice() const
{
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    enqueue.shaderEnqueue = VK_TRUE;
    VkPhysicalDeviceVulkan13Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    features.dynamicRendering = features.synchronization2 = VK_TRUE;
    const char* const extensions[] = {VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                      VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME};
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.ppEnabledExtensionNames = extensions;
    if (m_mode == Mode::WithFeature) {
        features.pNext = &enqueue;
        info.enabledExtensionCount = 3;
    }
    VkDevice device = VK_NULL_HANDLE;
    check(vkCreateDevice(m_physical, &info, nullptr, &device), "vkCreateDevice");
    return device;
}

RecordingDevice::RecordingDevice(Mode mode, const std::string& name)
    : m_instance(mode, name), m_device(m_instance.createDevice())
{
    vkuInitDeviceDispatchTable(m_device, &m_table, vkGetDeviceProcAddr);
    createLayouts();
    createSets();
    createPipelines();
    createBuffer();
    createTarget();
}

RecordingDevice::~RecordingDevice()
{
    m_table.DestroyImageView(m_device, target, nullptr);
    m_table.DestroyImage(m_device, m_image, nullptr);
    m_table.DestroyBuffer(m_device, buffer, nullptr);
    for (VkDeviceMemory memory : m_memory)
        m_table.FreeMemory(m_device, memory, nullptr);
    for (uint32_t i = 0; i < kPipelines; ++i) {
        m_table.DestroyPipeline(m_device, graphics[i], nullptr);
        m_table.DestroyPipeline(m_device, compute[i], nullptr);
    }
    m_table.DestroyDescriptorPool(m_device, m_descriptorPool, nullptr);
    m_table.DestroyPipelineLayout(m_device, layout, nullptr);
    m_table.DestroyDescriptorSetLayout(m_device, m_setLayout, nullptr);
    m_table.DestroyDevice(m_device, nullptr);
}

void RecordingDevice::createLayouts()
{
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_ALL,
                                               nullptr};
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = 1;
    setInfo.pBindings = &binding;
    check(m_table.CreateDescriptorSetLayout(m_device, &setInfo, nullptr, &m_setLayout), "vkCreateDescriptorSetLayout");
    const VkDescriptorSetLayout layouts[kSetsOfLayout] = {m_setLayout, m_setLayout, m_setLayout};
    const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0, kPushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = kSetsOfLayout;
    info.pSetLayouts = layouts;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    check(m_table.CreatePipelineLayout(m_device, &info, nullptr, &layout), "vkCreatePipelineLayout");
}

void RecordingDevice::createSets()
{
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, kSets};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = kSets;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    check(m_table.CreateDescriptorPool(m_device, &poolInfo, nullptr, &m_descriptorPool), "vkCreateDescriptorPool");
    const std::vector<VkDescriptorSetLayout> layouts(kSets, m_setLayout);
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = m_descriptorPool;
    info.descriptorSetCount = kSets;
    info.pSetLayouts = layouts.data();
    check(m_table.AllocateDescriptorSets(m_device, &info, sets), "vkAllocateDescriptorSets");
}

VkShaderModule RecordingDevice::createModule(std::span<const uint32_t> words)
{
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    check(m_table.CreateShaderModule(m_device, &info, nullptr, &module), "vkCreateShaderModule");
    return module;
}

void RecordingDevice::createPipelines()
{
    const VkShaderModule vertex = createModule(shaders::recording_vertex);
    const VkShaderModule fragment = createModule(shaders::recording_fragment);
    const VkShaderModule kernel = createModule(shaders::recording_compute);
    const VkPipelineShaderStageCreateInfo stages[] = {stage(VK_SHADER_STAGE_VERTEX_BIT, vertex),
                                                      stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
    const VkVertexInputBindingDescription bindings[] = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX},
                                                        {1, 16, VK_VERTEX_INPUT_RATE_INSTANCE}};
    const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                            {1, 1, VK_FORMAT_R32G32B32A32_SFLOAT, 0}};
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    input.vertexBindingDescriptionCount = input.vertexAttributeDescriptionCount = 2;
    input.pVertexBindingDescriptions = bindings;
    input.pVertexAttributeDescriptions = attributes;
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = VK_COLOR_COMPONENT_R_BIT;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = states;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kFormat;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = layout;
    VkComputePipelineCreateInfo computeInfo{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    computeInfo.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, kernel);
    computeInfo.layout = layout;
    for (uint32_t i = 0; i < kPipelines; ++i) {
        check(m_table.CreateGraphicsPipelines(m_device, VK_NULL_HANDLE, 1, &info, nullptr, &graphics[i]),
              "vkCreateGraphicsPipelines");
        check(m_table.CreateComputePipelines(m_device, VK_NULL_HANDLE, 1, &computeInfo, nullptr, &compute[i]),
              "vkCreateComputePipelines");
    }
    for (VkShaderModule module : {vertex, fragment, kernel})
        m_table.DestroyShaderModule(m_device, module, nullptr);
}

VkDeviceMemory RecordingDevice::allocate(const VkMemoryRequirements& requirements)
{
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = requirements.size;
    while (!(requirements.memoryTypeBits >> info.memoryTypeIndex & 1))
        ++info.memoryTypeIndex;
    VkDeviceMemory& memory = m_memory[m_memoryCount++];
    check(m_table.AllocateMemory(m_device, &info, nullptr, &memory), "vkAllocateMemory");
    return memory;
}

void RecordingDevice::createBuffer()
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 1u << 16;
    info.usage =
        VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    check(m_table.CreateBuffer(m_device, &info, nullptr, &buffer), "vkCreateBuffer");
    VkMemoryRequirements requirements;
    m_table.GetBufferMemoryRequirements(m_device, buffer, &requirements);
    check(m_table.BindBufferMemory(m_device, buffer, allocate(requirements), 0), "vkBindBufferMemory");
}

void RecordingDevice::createTarget()
{
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = kFormat;
    info.extent = {kExtent.width, kExtent.height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    check(m_table.CreateImage(m_device, &info, nullptr, &m_image), "vkCreateImage");
    VkMemoryRequirements requirements;
    m_table.GetImageMemoryRequirements(m_device, m_image, &requirements);
    check(m_table.BindImageMemory(m_device, m_image, allocate(requirements), 0), "vkBindImageMemory");
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = m_image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = kFormat;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    check(m_table.CreateImageView(m_device, &view, nullptr, &target), "vkCreateImageView");
}

}  // namespace millrace::bench
