// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/target.h"

namespace millrace::bench {

namespace {

void barrier(VkCommandBuffer commands, std::span<const VkImageMemoryBarrier> changes)
{
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, static_cast<uint32_t>(changes.size()), changes.data());
}

}  // namespace

Target::Target(Gpu& gpu, uint32_t width, uint32_t height) : m_gpu(gpu), m_width(width), m_height(height)
{
    m_color = create(kColorFormat, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                     VK_IMAGE_ASPECT_COLOR_BIT);
    m_depth = create(kDepthFormat, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
    m_readback = gpu.createBuffer(VkDeviceSize{width} * height * 4, 0, true);
}

Target::~Target()
{
    m_gpu.destroy(m_readback);
    destroy(m_depth);
    destroy(m_color);
}

Target::Attachment Target::create(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) const
{
    Attachment out;
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {m_width, m_height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = usage;
    check(vkCreateImage(m_gpu.handle(), &info, nullptr, &out.image), "vkCreateImage");
    out.memory = m_gpu.bindMemory(out.image);
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = out.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = {aspect, 0, 1, 0, 1};
    check(vkCreateImageView(m_gpu.handle(), &view, nullptr, &out.view), "vkCreateImageView");
    return out;
}

void Target::destroy(const Attachment& attachment) const
{
    vkDestroyImageView(m_gpu.handle(), attachment.view, nullptr);
    vkDestroyImage(m_gpu.handle(), attachment.image, nullptr);
    vkFreeMemory(m_gpu.handle(), attachment.memory, nullptr);
}

VkImageMemoryBarrier Target::change(const Attachment& attachment, VkImageAspectFlags aspect, VkImageLayout from,
                                    VkImageLayout to)
{
    VkImageMemoryBarrier out{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    out.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    out.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    out.oldLayout = from;
    out.newLayout = to;
    out.srcQueueFamilyIndex = out.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    out.image = attachment.image;
    out.subresourceRange = {aspect, 0, 1, 0, 1};
    return out;
}

void Target::begin(VkCommandBuffer commands, VkAttachmentLoadOp load) const
{
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = m_color.view;
    color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    color.loadOp = load;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingAttachmentInfo depth = color;
    depth.imageView = m_depth.view;
    depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    depth.clearValue.depthStencil.depth = 1;
    VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
    rendering.renderArea = {{0, 0}, {m_width, m_height}};
    rendering.layerCount = rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &color;
    rendering.pDepthAttachment = &depth;
    vkCmdBeginRendering(commands, &rendering);
}

void Target::clear(VkCommandBuffer commands) const
{
    const VkImageMemoryBarrier changes[] = {
        change(m_color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL),
        change(m_depth, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL)};
    barrier(commands, changes);
    begin(commands, VK_ATTACHMENT_LOAD_OP_CLEAR);
    vkCmdEndRendering(commands);
}

void Target::begin(VkCommandBuffer commands) const
{
    begin(commands, VK_ATTACHMENT_LOAD_OP_LOAD);
}

void Target::copy(VkCommandBuffer commands) const
{
    const VkImageMemoryBarrier changes[] = {change(m_color, VK_IMAGE_ASPECT_COLOR_BIT,
                                                   VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)};
    barrier(commands, changes);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {m_width, m_height, 1};
    vkCmdCopyImageToBuffer(commands, m_color.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_readback.handle, 1,
                           &region);
}

std::vector<uint32_t> Target::pixels() const
{
    return {m_readback.words, m_readback.words + size_t{m_width} * m_height};
}

}  // namespace millrace::bench
