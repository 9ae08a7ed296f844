// SPDX-License-Identifier: Apache-2.0
#include "layer/test_device.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

void check(VkResult result, const char* what)
{
    if (result != VK_SUCCESS)
        ADD_FAILURE() << what << " returned " << result;
}

TestDevice::TestDevice(const InstanceOptions& instanceOptions, const DeviceOptions& options)
    : instance(instanceOptions), physical(instance.physical), m_allocator(options.allocator)
{
    createDevice(options);
    createCommon();
}

TestDevice::~TestDevice()
{
    vkDeviceWaitIdle(handle);
    for (auto action = m_cleanup.rbegin(); action != m_cleanup.rend(); ++action)
        (*action)();
    vkDestroyDevice(handle, m_allocator);
}

void TestDevice::createDevice(const DeviceOptions& options)
{
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    enqueue.pNext = const_cast<void*>(options.chain);
    enqueue.shaderEnqueue = options.feature;
    enqueue.shaderMeshEnqueue = options.meshNodes;
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR};
    maintenance5.pNext = options.extension ? &enqueue : const_cast<void*>(options.chain);
    maintenance5.maintenance5 = VK_TRUE;
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &maintenance5};
    v13.dynamicRendering = VK_TRUE;
    v13.synchronization2 = VK_TRUE;
    v13.pipelineCreationCacheControl = options.cacheControl;
    v13.privateData = VK_TRUE;
    v13.maintenance4 = VK_TRUE;
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
    v13.inlineUniformBlock = options.descriptorIndexing;
    v12.runtimeDescriptorArray = options.descriptorIndexing;
    v12.shaderStorageBufferArrayNonUniformIndexing = options.descriptorIndexing;
    v12.descriptorBindingVariableDescriptorCount = options.descriptorIndexing;
    v12.descriptorBindingPartiallyBound = options.descriptorIndexing;
    v12.bufferDeviceAddress = VK_TRUE;
    v12.vulkanMemoryModel = options.memoryModel;
    v12.timelineSemaphore = VK_TRUE;
    v12.hostQueryReset = options.hostQueryReset;
    std::vector<const char*> extensions = options.extensions;
    extensions.push_back(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
    if (options.extension) {
        extensions.push_back(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
        extensions.push_back(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
    }
    // A device that has it must be created with it.
    if (lists(deviceExtensions(physical), VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME))
        extensions.push_back(VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME);
    const float priorities[] = {1.0f, 1.0f};
    VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queueInfo.queueFamilyIndex = options.queueFamily;
    queueInfo.queueCount = options.twoQueues && familyProperties(options.queueFamily).queueCount > 1 ? 2 : 1;
    queueInfo.pQueuePriorities = priorities;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &v12};
    if (options.first) {
        info.pNext = options.first;
        auto* last = static_cast<VkBaseOutStructure*>(options.first);
        while (last->pNext)
            last = last->pNext;
        last->pNext = reinterpret_cast<VkBaseOutStructure*>(&v12);
    }
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queueInfo;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    // Nothing of the test can run without it.
    if (const VkResult result = vkCreateDevice(physical, &info, options.allocator, &handle); result != VK_SUCCESS)
        throw std::runtime_error("vkCreateDevice returned " + std::to_string(result) +
                                 "; does something in the environment take from the layers what the test enables?");
    queueFamily = options.queueFamily;
    vkGetDeviceQueue(handle, queueFamily, 0, &queue);
    if (queueInfo.queueCount > 1)
        vkGetDeviceQueue(handle, queueFamily, 1, &secondQueue);
    createGraphs = get<PFN_vkCreateExecutionGraphPipelinesAMDX>("vkCreateExecutionGraphPipelinesAMDX");
    getScratchSize = get<PFN_vkGetExecutionGraphPipelineScratchSizeAMDX>("vkGetExecutionGraphPipelineScratchSizeAMDX");
    getNodeIndex = get<PFN_vkGetExecutionGraphPipelineNodeIndexAMDX>("vkGetExecutionGraphPipelineNodeIndexAMDX");
    cmdInitialize = get<PFN_vkCmdInitializeGraphScratchMemoryAMDX>("vkCmdInitializeGraphScratchMemoryAMDX");
    cmdDispatch = get<PFN_vkCmdDispatchGraphAMDX>("vkCmdDispatchGraphAMDX");
    cmdDispatchIndirect = get<PFN_vkCmdDispatchGraphIndirectAMDX>("vkCmdDispatchGraphIndirectAMDX");
    cmdDispatchIndirectCount = get<PFN_vkCmdDispatchGraphIndirectCountAMDX>("vkCmdDispatchGraphIndirectCountAMDX");
}

void TestDevice::createCommon()
{
    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.queueFamilyIndex = queueFamily;
    poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    MILLRACE_CHECK(vkCreateCommandPool(handle, &poolInfo, nullptr, &pool));
    onDestroy([this] { vkDestroyCommandPool(handle, pool, nullptr); });
    setLayout = createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
    layout = createLayout(setLayout, setLayout);
}

VkDeviceMemory TestDevice::allocateMemory(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags properties,
                                          bool addressed)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, addressed ? &flags : nullptr};
    info.allocationSize = requirements.size;
    for (uint32_t i = memory.memoryTypeCount; i-- > 0;)
        if ((requirements.memoryTypeBits >> i & 1) && (memory.memoryTypes[i].propertyFlags & properties) == properties)
            info.memoryTypeIndex = i;
    VkDeviceMemory out = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkAllocateMemory(handle, &info, nullptr, &out));
    onDestroy([this, out] { vkFreeMemory(handle, out, nullptr); });
    return out;
}

VkQueueFamilyProperties TestDevice::familyProperties(uint32_t family) const
{
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    return families[family];
}

bool TestDevice::hasClock() const
{
    return familyProperties(queueFamily).timestampValidBits > 0;
}

Buffer TestDevice::createBuffer(VkDeviceSize size, VkBufferUsageFlags usage)
{
    Buffer buffer;
    buffer.size = size;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    MILLRACE_CHECK(vkCreateBuffer(handle, &info, nullptr, &buffer.handle));
    onDestroy([this, own = buffer.handle] { vkDestroyBuffer(handle, own, nullptr); });
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(handle, buffer.handle, &requirements);
    const VkDeviceMemory memory =
        allocateMemory(requirements, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, true);
    MILLRACE_CHECK(vkBindBufferMemory(handle, buffer.handle, memory, 0));
    void* mapped = nullptr;
    MILLRACE_CHECK(vkMapMemory(handle, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    std::memset(mapped, 0, size);
    buffer.words = static_cast<uint32_t*>(mapped);
    VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    address.buffer = buffer.handle;
    buffer.address = vkGetBufferDeviceAddress(handle, &address);
    return buffer;
}

Image TestDevice::createTarget(uint32_t width, uint32_t height, uint32_t layers)
{
    Image image;
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {width, height, 1};
    info.mipLevels = 1;
    info.arrayLayers = layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    MILLRACE_CHECK(vkCreateImage(handle, &info, nullptr, &image.handle));
    onDestroy([this, own = image.handle] { vkDestroyImage(handle, own, nullptr); });
    VkMemoryRequirements requirements;
    vkGetImageMemoryRequirements(handle, image.handle, &requirements);
    MILLRACE_CHECK(vkBindImageMemory(handle, image.handle, allocateMemory(requirements, 0, false), 0));
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image.handle;
    view.viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers};
    MILLRACE_CHECK(vkCreateImageView(handle, &view, nullptr, &image.view));
    onDestroy([this, own = image.view] { vkDestroyImageView(handle, own, nullptr); });
    return image;
}

VkRenderPass TestDevice::createRenderPass(std::span<const VkSubpassDependency> dependencies, uint32_t subpasses,
                                          VkImageLayout before, std::span<const uint32_t> viewMasks)
{
    VkAttachmentDescription attachment{};
    attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.initialLayout = before;
    attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &reference;
    const std::vector<VkSubpassDescription> all(subpasses, subpass);
    VkRenderPassMultiviewCreateInfo views{VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO};
    views.subpassCount = static_cast<uint32_t>(viewMasks.size());
    views.pViewMasks = viewMasks.data();
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, viewMasks.empty() ? nullptr : &views};
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = subpasses;
    info.pSubpasses = all.data();
    info.dependencyCount = static_cast<uint32_t>(dependencies.size());
    info.pDependencies = dependencies.data();
    VkRenderPass pass = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateRenderPass(handle, &info, nullptr, &pass));
    onDestroy([this, pass] { vkDestroyRenderPass(handle, pass, nullptr); });
    return pass;
}

VkFramebuffer TestDevice::createFramebuffer(VkRenderPass pass, const Image& target, uint32_t width, uint32_t height)
{
    VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    info.renderPass = pass;
    info.attachmentCount = 1;
    info.pAttachments = &target.view;
    info.width = width;
    info.height = height;
    info.layers = 1;
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateFramebuffer(handle, &info, nullptr, &framebuffer));
    onDestroy([this, framebuffer] { vkDestroyFramebuffer(handle, framebuffer, nullptr); });
    return framebuffer;
}

VkShaderModule TestDevice::createModule(std::span<const uint32_t> words)
{
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateShaderModule(handle, &info, nullptr, &module));
    onDestroy([this, module] { vkDestroyShaderModule(handle, module, nullptr); });
    return module;
}

std::vector<uint32_t> TestDevice::programWords(const std::string& name)
{
    const char* folder = std::getenv("MILLRACE_TEST_SHADERS");  // where there is no build tree
    std::ifstream file(std::string(folder ? folder : MILLRACE_TEST_SHADERS) + "/" + name + ".spv",
                       std::ios::binary | std::ios::ate);
    if (!file)
        throw std::runtime_error("no shader " + name);
    std::vector<uint32_t> words(static_cast<size_t>(file.tellg()) / 4);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
    EXPECT_TRUE(file.good()) << name;
    return words;
}

VkPipelineLayout TestDevice::createLayout(VkDescriptorSetLayout set0, VkDescriptorSetLayout set1)
{
    const VkDescriptorSetLayout sets[] = {set0, set1};
    const VkPushConstantRange ranges[] = {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 2;
    info.pSetLayouts = sets;
    info.pushConstantRangeCount = 2;
    info.pPushConstantRanges = ranges;
    VkPipelineLayout out = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePipelineLayout(handle, &info, nullptr, &out));
    onDestroy([this, out] { vkDestroyPipelineLayout(handle, out, nullptr); });
    return out;
}

VkDescriptorSetLayout TestDevice::createSetLayout(VkDescriptorType type, VkDescriptorSetLayoutCreateFlags flags,
                                                  VkShaderStageFlags stages)
{
    const VkDescriptorSetLayoutBinding binding{0, type, 1, stages, nullptr};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, flags};
    info.bindingCount = 1;
    info.pBindings = &binding;
    VkDescriptorSetLayout out = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateDescriptorSetLayout(handle, &info, nullptr, &out));
    onDestroy([this, out] { vkDestroyDescriptorSetLayout(handle, out, nullptr); });
    return out;
}

VkDescriptorSet TestDevice::createSet(const Buffer& buffer, VkDescriptorSetLayout from, VkDescriptorType type,
                                      VkDeviceSize range)
{
    const VkDescriptorPoolSize size{type, 1};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = 1;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    VkDescriptorPool descriptorPool = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateDescriptorPool(handle, &poolInfo, nullptr, &descriptorPool));
    onDestroy([this, descriptorPool] { vkDestroyDescriptorPool(handle, descriptorPool, nullptr); });
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    const VkDescriptorSetLayout wanted = from ? from : setLayout;
    info.descriptorPool = descriptorPool;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &wanted;
    VkDescriptorSet set = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkAllocateDescriptorSets(handle, &info, &set));
    const VkDescriptorBufferInfo bufferInfo{buffer.handle, 0, range};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.descriptorCount = 1;
    write.descriptorType = type;
    write.pBufferInfo = &bufferInfo;
    vkUpdateDescriptorSets(handle, 1, &write, 0, nullptr);
    return set;
}

VkPipeline TestDevice::createCompute(VkShaderModule module, VkPipelineLayout with, VkPipelineCreateFlags flags)
{
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = flags;
    info.stage = stage(module, "main");
    info.layout = with ? with : layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateComputePipelines(handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    onDestroy([this, pipeline] { vkDestroyPipeline(handle, pipeline, nullptr); });
    return pipeline;
}

VkPipeline TestDevice::createGraphics(const GraphicsOptions& options)
{
    const std::span<const uint32_t> fragment = options.fragment.empty() ? shaders::one_color : options.fragment;
    VkPipelineShaderStageCreateInfo stages[] = {stage(createModule(shaders::whole_target), "main"),
                                                stage(createModule(fragment), "main")};
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1.0f;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
                                     VK_DYNAMIC_STATE_CULL_MODE};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 3;
    dynamic.pDynamicStates = states;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.flags = options.flags;
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = options.layout ? options.layout : layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateGraphicsPipelines(handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    onDestroy([this, pipeline] { vkDestroyPipeline(handle, pipeline, nullptr); });
    return pipeline;
}

VkPipelineShaderStageCreateInfo TestDevice::stage(VkShaderModule module, const char* entry)
{
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.module = module;
    info.pName = entry;
    return info;
}

Graph TestDevice::createGraph(const std::vector<VkPipelineShaderStageCreateInfo>& stages, Scratch scratch,
                              VkPipelineLayout with, VkPipelineCreateFlags flags)
{
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.flags = flags;
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.layout = with ? with : layout;
    info.basePipelineIndex = -1;
    Graph graph;
    MILLRACE_CHECK(createGraphs(handle, VK_NULL_HANDLE, 1, &info, nullptr, &graph.pipeline));
    onDestroy([this, own = graph.pipeline] { vkDestroyPipeline(handle, own, nullptr); });
    graph.scratch = createScratch(graph.pipeline, scratch);
    return graph;
}

Buffer TestDevice::createScratch(VkPipeline graph, Scratch scratch)
{
    VkExecutionGraphPipelineScratchSizeAMDX size{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
    MILLRACE_CHECK(getScratchSize(handle, graph, &size));
    constexpr VkDeviceSize kAmple = 4 << 20;
    return createBuffer(
        scratch == Scratch::Minimum ? size.minSize : std::min(size.maxSize, std::max(size.minSize, kAmple)),
        VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
}

uint32_t TestDevice::nodeIndex(VkPipeline graph, const char* name)
{
    VkPipelineShaderStageNodeCreateInfoAMDX info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    info.pName = name;
    uint32_t index = UINT32_MAX;
    MILLRACE_CHECK(getNodeIndex(handle, graph, &info, &index));
    return index;
}

VkCommandBuffer TestDevice::allocate(VkCommandBufferLevel level)
{
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool;
    info.level = level;
    info.commandBufferCount = 1;
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkAllocateCommandBuffers(handle, &info, &cmd));
    return cmd;
}

VkCommandBuffer TestDevice::begin(VkCommandBufferUsageFlags usage)
{
    VkCommandBuffer cmd = allocate();
    VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = usage;
    MILLRACE_CHECK(vkBeginCommandBuffer(cmd, &info));
    return cmd;
}

void TestDevice::prepare(VkCommandBuffer cmd, const Graph& graph, VkDescriptorSet set)
{
    cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
    barrier(cmd);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, layout, 0, 1, &set, 0, nullptr);
}

void TestDevice::dispatch(VkCommandBuffer cmd, const Graph& graph, const char* node, uint32_t count,
                          const std::vector<uint32_t>& words)
{
    VkDispatchGraphInfoAMDX info{};
    info.nodeIndex = nodeIndex(graph.pipeline, node);
    info.payloadCount = count;
    info.payloads.hostAddress = words.data();
    info.payloadStride = words.size() * 4 / count;
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.infos.hostAddress = &info;
    counts.stride = sizeof info;
    cmdDispatch(cmd, graph.scratch.address, graph.scratch.size, &counts);
}

void TestDevice::dispatchIndirect(VkCommandBuffer cmd, const Graph& graph, const char* node, uint32_t count,
                                  const std::vector<uint32_t>& words)
{
    const Buffer arguments =
        createBuffer(64 + words.size() * 4, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    VkDispatchGraphInfoAMDX info{};
    info.nodeIndex = nodeIndex(graph.pipeline, node);
    info.payloadCount = count;
    info.payloads.deviceAddress = arguments.address + 64;
    info.payloadStride = words.size() * 4 / count;
    std::memcpy(arguments.words, &info, sizeof info);
    std::memcpy(arguments.words + 16, words.data(), words.size() * 4);
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.infos.deviceAddress = arguments.address;
    counts.stride = sizeof info;
    cmdDispatchIndirect(cmd, graph.scratch.address, graph.scratch.size, &counts);
}

void TestDevice::barrier(VkCommandBuffer cmd)
{
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = memory.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    memory.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
    memory.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    vkCmdPipelineBarrier2(cmd, &info);
}

void TestDevice::transition(VkCommandBuffer cmd, const Image& image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.image = image.handle;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(cmd, &info);
}

void TestDevice::submit(VkCommandBuffer cmd, VkFence fence)
{
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &cmd;
    MILLRACE_CHECK(vkQueueSubmit(queue, 1, &info, fence));
}

void TestDevice::submitAndWait(VkCommandBuffer cmd)
{
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    submit(cmd);
    MILLRACE_CHECK(vkQueueWaitIdle(queue));
}

VkFence TestDevice::createFence()
{
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateFence(handle, &info, nullptr, &fence));
    onDestroy([this, fence] { vkDestroyFence(handle, fence, nullptr); });
    return fence;
}

VkSemaphore TestDevice::createSemaphore(bool timeline)
{
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateSemaphore(handle, &info, nullptr, &semaphore));
    onDestroy([this, semaphore] { vkDestroySemaphore(handle, semaphore, nullptr); });
    return semaphore;
}

}  // namespace millrace::layertest
