// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/vulkan_resources.h"

#include <cstring>

namespace millrace::bench::peer {

using harness::check;
using harness::Device;

namespace {

constexpr VkImageSubresourceRange kWhole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;

// In the device's own memory, filled through a copy.
harness::Buffer createFilled(Device& device, const void* from, uint64_t bytes, VkBufferUsageFlags usage)
{
    const harness::Buffer staging = device.createBuffer(bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    std::memcpy(staging.mapped, from, bytes);
    const harness::Buffer out = device.createDeviceBuffer(bytes, usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    device.submit([&](VkCommandBuffer cmd) {
        const VkBufferCopy region{0, 0, bytes};
        vkCmdCopyBuffer(cmd, staging.handle, out.handle, 1, &region);
    });
    device.destroyBuffer(staging);
    return out;
}

}  // namespace

Stamps::Stamps(Device& device) : m_device(device)
{
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    check(vkCreateQueryPool(device.device, &info, nullptr, &m_pool), "vkCreateQueryPool");
}

Stamps::~Stamps()
{
    vkDestroyQueryPool(m_device.device, m_pool, nullptr);
}

void Stamps::reset(VkCommandBuffer cmd) const
{
    vkCmdResetQueryPool(cmd, m_pool, 0, 2);
}

void Stamps::record(VkCommandBuffer cmd, uint32_t number) const
{
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, m_pool, number);
}

double Stamps::microseconds() const
{
    uint64_t ticks[2] = {};
    check(vkGetQueryPoolResults(m_device.device, m_pool, 0, 2, sizeof ticks, ticks, sizeof(uint64_t),
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    return static_cast<double>(ticks[1] - ticks[0]) * static_cast<double>(m_device.properties.limits.timestampPeriod) /
           1e3;
}

GpuResource::GpuResource(Device& device, const Resource& resource, uint32_t slots)
    : m_device(device), m_bytes(resource.size()), m_extent{resource.width, resource.height, 1}
{
    m_results = device.createReadback(m_bytes * slots);
    if (resource.isImage()) {
        createImage(resource.width, resource.height);
        return;
    }
    m_buffer =
        device.createDeviceBuffer(m_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    if (!resource.initial.empty())
        m_initial = createFilled(device, resource.initial.data(), resource.initial.size() * sizeof(uint32_t),
                                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
}

GpuResource::~GpuResource()
{
    vkDestroyImageView(m_device.device, m_view, nullptr);
    vkDestroyImage(m_device.device, m_image, nullptr);
    vkFreeMemory(m_device.device, m_memory, nullptr);
    for (const harness::Buffer& buffer : {m_buffer, m_initial, m_results})
        if (buffer.handle)
            m_device.destroyBuffer(buffer);
}

void GpuResource::createImage(uint32_t width, uint32_t height)
{
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = kFormat;
    info.extent = {width, height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    check(vkCreateImage(m_device.device, &info, nullptr, &m_image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(m_device.device, m_image, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = m_device.memoryType(needs.memoryTypeBits, {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
    check(vkAllocateMemory(m_device.device, &allocate, nullptr, &m_memory), "vkAllocateMemory");
    check(vkBindImageMemory(m_device.device, m_image, m_memory, 0), "vkBindImageMemory");
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = m_image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = kFormat;
    view.subresourceRange = kWhole;
    check(vkCreateImageView(m_device.device, &view, nullptr, &m_view), "vkCreateImageView");
    toGeneral();
}

void GpuResource::toGeneral() const
{
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = m_image;
    barrier.subresourceRange = kWhole;
    m_device.submit([&](VkCommandBuffer cmd) {
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                             0, nullptr, 1, &barrier);
    });
}

void GpuResource::recordClear(VkCommandBuffer cmd) const
{
    if (m_image) {
        const VkClearColorValue zero{};
        vkCmdClearColorImage(cmd, m_image, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &kWhole);
        return;
    }
    if (m_initial.size < m_bytes)
        vkCmdFillBuffer(cmd, m_buffer.handle, m_initial.size, VK_WHOLE_SIZE, 0);
    if (m_initial.handle) {
        const VkBufferCopy region{0, 0, m_initial.size};
        vkCmdCopyBuffer(cmd, m_initial.handle, m_buffer.handle, 1, &region);
    }
}

void GpuResource::recordKeep(VkCommandBuffer cmd, uint32_t slot) const
{
    if (m_image) {
        VkBufferImageCopy region{};
        region.bufferOffset = slot * m_bytes;
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        region.imageExtent = m_extent;
        vkCmdCopyImageToBuffer(cmd, m_image, VK_IMAGE_LAYOUT_GENERAL, m_results.handle, 1, &region);
        return;
    }
    const VkBufferCopy region{0, slot * m_bytes, m_bytes};
    vkCmdCopyBuffer(cmd, m_buffer.handle, m_results.handle, 1, &region);
}

Words GpuResource::kept(uint32_t slot) const
{
    Words out(m_bytes / sizeof(uint32_t));
    std::memcpy(out.data(), m_results.bytes() + slot * m_bytes, out.size() * sizeof(uint32_t));
    return out;
}

ArgumentLayout::ArgumentLayout(Device& device, uint32_t images, uint32_t localSet, uint32_t pushConstantBytes)
    : m_device(device), m_localSet(localSet)
{
    for (uint32_t i = 0; i < images; ++i)
        addSet(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1);
    while (localSet != 0 && m_setLayouts.size() < localSet)
        addSet(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0);
    if (localSet != 0)
        addSet(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1);
    if (!m_setLayouts.empty())
        allocateSets();
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushConstantBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = static_cast<uint32_t>(m_setLayouts.size());
    info.pSetLayouts = m_setLayouts.data();
    info.pushConstantRangeCount = pushConstantBytes != 0 ? 1 : 0;
    info.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(device.device, &info, nullptr, &m_layout), "vkCreatePipelineLayout");
}

ArgumentLayout::~ArgumentLayout()
{
    vkDestroyPipelineLayout(m_device.device, m_layout, nullptr);
    vkDestroyDescriptorPool(m_device.device, m_pool, nullptr);
    for (VkDescriptorSetLayout layout : m_setLayouts)
        vkDestroyDescriptorSetLayout(m_device.device, layout, nullptr);
    if (m_localTable.handle)
        m_device.destroyBuffer(m_localTable);
}

void ArgumentLayout::addSet(VkDescriptorType type, uint32_t bindings)
{
    const VkDescriptorSetLayoutBinding binding{0, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = bindings;
    info.pBindings = &binding;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    check(vkCreateDescriptorSetLayout(m_device.device, &info, nullptr, &layout), "vkCreateDescriptorSetLayout");
    m_setLayouts.push_back(layout);
}

void ArgumentLayout::allocateSets()
{
    const auto count = static_cast<uint32_t>(m_setLayouts.size());
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, count},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count}};
    VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    info.maxSets = count;
    info.poolSizeCount = 2;
    info.pPoolSizes = sizes;
    check(vkCreateDescriptorPool(m_device.device, &info, nullptr, &m_pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = m_pool;
    allocate.descriptorSetCount = count;
    allocate.pSetLayouts = m_setLayouts.data();
    m_sets.resize(count);
    check(vkAllocateDescriptorSets(m_device.device, &allocate, m_sets.data()), "vkAllocateDescriptorSets");
}

void ArgumentLayout::writeImage(uint32_t set, VkImageView view) const
{
    const VkDescriptorImageInfo image{VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_sets[set];
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    write.pImageInfo = &image;
    vkUpdateDescriptorSets(m_device.device, 1, &write, 0, nullptr);
}

void ArgumentLayout::writeLocalTable(const Words& words)
{
    m_localTable =
        createFilled(m_device, words.data(), words.size() * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    const VkDescriptorBufferInfo range{m_localTable.handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_sets[m_localSet];
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &range;
    vkUpdateDescriptorSets(m_device.device, 1, &write, 0, nullptr);
}

void ArgumentLayout::bind(VkCommandBuffer cmd, const std::vector<uint8_t>& pushConstants) const
{
    if (!m_sets.empty())
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, m_layout, 0,
                                static_cast<uint32_t>(m_sets.size()), m_sets.data(), 0, nullptr);
    if (!pushConstants.empty())
        vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(pushConstants.size()),
                           pushConstants.data());
}

GraphPipeline::GraphPipeline(Device& device, VkPipelineLayout layout, const std::vector<harness::Stage>& stages)
    : m_device(device)
{
    std::vector<VkPipelineShaderStageCreateInfo> infos;
    for (const harness::Stage& stage : stages) {
        VkPipelineShaderStageCreateInfo& info =
            infos.emplace_back(VkPipelineShaderStageCreateInfo{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO});
        info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.module = device.createModule(stage.words);
        info.pName = stage.entry.c_str();
    }
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = static_cast<uint32_t>(infos.size());
    info.pStages = infos.data();
    info.layout = layout;
    info.basePipelineIndex = -1;
    const VkResult result = device.createGraphs(device.device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline);
    for (const VkPipelineShaderStageCreateInfo& stage : infos)
        vkDestroyShaderModule(device.device, stage.module, nullptr);
    check(result, "vkCreateExecutionGraphPipelinesAMDX");
    initialize();
}

GraphPipeline::~GraphPipeline()
{
    vkDestroyPipeline(m_device.device, m_pipeline, nullptr);
    m_device.destroyBuffer(m_scratch);
}

void GraphPipeline::initialize()
{
    VkExecutionGraphPipelineScratchSizeAMDX size{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
    check(m_device.getScratchSize(m_device.device, m_pipeline, &size), "vkGetExecutionGraphPipelineScratchSizeAMDX");
    m_scratch = m_device.createDeviceBuffer(size.maxSize, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
    m_device.submit([&](VkCommandBuffer cmd) {
        m_device.cmdInitializeScratch(cmd, m_pipeline, m_scratch.address, m_scratch.size);
    });
}

uint32_t GraphPipeline::nodeIndex(const std::string& name) const
{
    VkPipelineShaderStageNodeCreateInfoAMDX info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    info.pName = name.c_str();
    uint32_t node = ~0u;
    check(m_device.getNodeIndex(m_device.device, m_pipeline, &info, &node),
          "vkGetExecutionGraphPipelineNodeIndexAMDX(" + name + ")");
    return node;
}

Inputs::Inputs(Device& device, const GraphPipeline& pipeline, const Work& work)
    : m_device(device), m_pipeline(pipeline), m_isOnDevice(work.form == Form::Gpu)
{
    for (const Launch& launch : work.launches) {
        VkDispatchGraphInfoAMDX& info = m_infos.emplace_back();
        info.nodeIndex = pipeline.nodeIndex(launch.node);
        info.payloadCount = launch.count;
        info.payloadStride = launch.strideWords * sizeof(uint32_t);
        info.payloads.hostAddress = launch.words.data();
        if (m_isOnDevice && !launch.words.empty()) {
            m_buffers.push_back(createFilled(device, launch.words.data(), launch.words.size() * sizeof(uint32_t),
                                             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
            info.payloads.deviceAddress = m_buffers.back().address;
        }
    }
    m_count.count = static_cast<uint32_t>(m_infos.size());
    m_count.stride = sizeof(VkDispatchGraphInfoAMDX);
    m_count.infos.hostAddress = m_infos.data();
    if (m_isOnDevice)
        moveToDevice();
}

void Inputs::moveToDevice()
{
    m_buffers.push_back(createFilled(m_device, m_infos.data(), m_infos.size() * sizeof m_infos.front(),
                                     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT));
    m_count.infos.deviceAddress = m_buffers.back().address;
}

Inputs::~Inputs()
{
    for (const harness::Buffer& buffer : m_buffers)
        m_device.destroyBuffer(buffer);
}

void Inputs::recordDispatch(VkCommandBuffer cmd) const
{
    const harness::Buffer& scratch = m_pipeline.scratch();
    if (m_isOnDevice)
        m_device.cmdDispatchIndirect(cmd, scratch.address, scratch.size, &m_count);
    else
        m_device.cmdDispatch(cmd, scratch.address, scratch.size, &m_count);
}

}  // namespace millrace::bench::peer
