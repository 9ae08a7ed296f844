// SPDX-License-Identifier: Apache-2.0
#include "dxil/support/mesh_runner.h"

#include <algorithm>

namespace millrace::dxil {

namespace {

using harness::Buffer;
using harness::check;
using harness::Device;

constexpr VkFormat kFormat = VK_FORMAT_R32_UINT;
constexpr VkDeviceSize kTexels = VkDeviceSize{kMeshImageSize} * kMeshImageSize * kMeshImageLayers;
constexpr VkDeviceSize kBufferBytes = 256;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_TASK_BIT_EXT;
constexpr VkImageSubresourceRange kWhole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, kMeshImageLayers};

class Run {
public:
    Run(Device& device, const MeshRun& run) : m_device(device), m_run(run) {}
    ~Run();
    MeshResult execute();

private:
    void createImage();
    void createSet();
    void createPipeline();
    void draw(VkCommandBuffer cmd) const;
    void transition(VkCommandBuffer cmd, VkImageLayout from, VkImageLayout to) const;

    Device& m_device;
    const MeshRun& m_run;
    VkImage m_image = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    VkImageView m_view = VK_NULL_HANDLE;
    Buffer m_words, m_texels;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkDescriptorPool m_pool = VK_NULL_HANDLE;
    VkDescriptorSet m_set = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

Run::~Run()
{
    vkDestroyPipeline(m_device.device, m_pipeline, nullptr);
    vkDestroyPipelineLayout(m_device.device, m_layout, nullptr);
    vkDestroyDescriptorPool(m_device.device, m_pool, nullptr);
    vkDestroyDescriptorSetLayout(m_device.device, m_setLayout, nullptr);
    vkDestroyImageView(m_device.device, m_view, nullptr);
    vkDestroyImage(m_device.device, m_image, nullptr);
    vkFreeMemory(m_device.device, m_memory, nullptr);
    m_device.destroyBuffer(m_words);
    m_device.destroyBuffer(m_texels);
}

void Run::createImage()
{
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = kFormat;
    info.extent = {kMeshImageSize, kMeshImageSize, 1};
    info.mipLevels = 1;
    info.arrayLayers = kMeshImageLayers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    check(vkCreateImage(m_device.device, &info, nullptr, &m_image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(m_device.device, m_image, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    while ((needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0)
        ++allocate.memoryTypeIndex;
    check(vkAllocateMemory(m_device.device, &allocate, nullptr, &m_memory), "vkAllocateMemory");
    check(vkBindImageMemory(m_device.device, m_image, m_memory, 0), "vkBindImageMemory");
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = m_image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    view.format = kFormat;
    view.subresourceRange = kWhole;
    check(vkCreateImageView(m_device.device, &view, nullptr, &m_view), "vkCreateImageView");
}

void Run::createSet()
{
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kStages, nullptr};
    VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    layout.bindingCount = 1;
    layout.pBindings = &binding;
    check(vkCreateDescriptorSetLayout(m_device.device, &layout, nullptr, &m_setLayout), "set layout");
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    check(vkCreateDescriptorPool(m_device.device, &pool, nullptr, &m_pool), "pool");
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = m_pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &m_setLayout;
    check(vkAllocateDescriptorSets(m_device.device, &allocate, &m_set), "set");
    const VkDescriptorBufferInfo buffer{m_words.handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(m_device.device, 1, &write, 0, nullptr);
}

void Run::createPipeline()
{
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &m_setLayout;
    check(vkCreatePipelineLayout(m_device.device, &layout, nullptr, &m_layout), "pipeline layout");
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    const auto addStage = [&](VkShaderStageFlagBits stage, const std::vector<uint32_t>& words) {
        if (!words.empty())
            stages.push_back({VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, stage,
                              m_device.createModule(words), "main", nullptr});
    };
    addStage(VK_SHADER_STAGE_TASK_BIT_EXT, m_run.amplification);
    addStage(VK_SHADER_STAGE_MESH_BIT_EXT, m_run.mesh);
    addStage(VK_SHADER_STAGE_FRAGMENT_BIT, m_run.fragment);
    const uint32_t height = m_run.hasTwoViewports ? kMeshImageSize / 2 : kMeshImageSize;
    const VkViewport areas[] = {{0, 0, kMeshImageSize, float(height), 0, 1},
                                {0, float(height), kMeshImageSize, float(height), 0, 1}};
    const VkRect2D scissors[] = {{{0, 0}, {kMeshImageSize, height}}, {{0, int32_t(height)}, {kMeshImageSize, height}}};
    VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewports.viewportCount = m_run.hasTwoViewports ? 2 : 1;
    viewports.pViewports = areas;
    viewports.scissorCount = viewports.viewportCount;
    viewports.pScissors = scissors;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState target{};
    target.colorWriteMask = VK_COLOR_COMPONENT_R_BIT;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &target;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kFormat;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pViewportState = &viewports;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.layout = m_layout;
    const VkResult result = vkCreateGraphicsPipelines(m_device.device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline);
    for (const VkPipelineShaderStageCreateInfo& stage : stages)
        vkDestroyShaderModule(m_device.device, stage.module, nullptr);
    check(result, "pipeline");
}

void Run::transition(VkCommandBuffer cmd, VkImageLayout from, VkImageLayout to) const
{
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.image = m_image;
    barrier.subresourceRange = kWhole;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
}

void Run::draw(VkCommandBuffer cmd) const
{
    transition(cmd, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    VkRenderingAttachmentInfo target{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    target.imageView = m_view;
    target.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    target.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    target.clearValue.color.uint32[0] = kUntouched;
    VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
    rendering.renderArea = {{0, 0}, {kMeshImageSize, kMeshImageSize}};
    rendering.layerCount = kMeshImageLayers;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &target;
    const auto drawTasks =
        reinterpret_cast<PFN_vkCmdDrawMeshTasksEXT>(vkGetDeviceProcAddr(m_device.device, "vkCmdDrawMeshTasksEXT"));
    vkCmdBeginRendering(cmd, &rendering);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &m_set, 0, nullptr);
    drawTasks(cmd, m_run.groups, 1, 1);
    vkCmdEndRendering(cmd);
    transition(cmd, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, kMeshImageLayers};
    copy.imageExtent = {kMeshImageSize, kMeshImageSize, 1};
    vkCmdCopyImageToBuffer(cmd, m_image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_texels.handle, 1, &copy);
}

MeshResult Run::execute()
{
    m_words = m_device.createBuffer(kBufferBytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    m_texels = m_device.createBuffer(kTexels * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    createImage();
    createSet();
    createPipeline();
    m_device.submit([&](VkCommandBuffer cmd) { draw(cmd); });
    MeshResult out;
    out.texels.assign(m_texels.words(), m_texels.words() + kTexels);
    out.words.assign(m_words.words(), m_words.words() + kBufferBytes / 4);
    return out;
}

}  // namespace

MeshResult runMesh(Device& device, const MeshRun& run)
{
    return Run(device, run).execute();
}

}  // namespace millrace::dxil
