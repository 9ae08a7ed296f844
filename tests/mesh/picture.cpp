// SPDX-License-Identifier: Apache-2.0
#include "mesh/picture.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

namespace millrace::meshtest {

std::vector<Cell> randomCells(uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<Cell> cells(size_t{kCells} * kCells);
    for (size_t i = 0; i < cells.size(); ++i) {
        cells[i].count = static_cast<uint32_t>(i % (kSquares + 1));
        for (uint32_t& color : cells[i].colors)
            color = (random() & 0x7f7f) | (random() % 4 == 0 ? 1u << 24 : 0u);
    }
    return cells;
}

void paint(Pixels& pixels, const std::vector<Cell>& cells, uint32_t width, uint32_t height, uint32_t green)
{
    for (uint32_t i = 0; i < width * height; ++i)
        for (uint32_t square = 0; square < cells[i].count; ++square) {
            const uint32_t color = cells[i].colors[square];
            const uint32_t left = i % width * 8 + square % 4 * 2;
            const uint32_t top = i / width * 8 + square / 4 * 2;
            for (uint32_t k = 0; k < 4 && color >> 24 == 0; ++k) {
                const uint32_t x = left + k % 2;
                pixels[(top + k / 2) * kSize + x] = (color & 0xffff) + (green << 8) + (x << 16) + (kAlpha << 24);
            }
        }
}

std::vector<Cell> cellsOfView(const std::vector<Cell>& cells, uint32_t view)
{
    std::vector<Cell> out = cells;
    for (size_t i = 0; i < cells.size(); ++i) {
        Cell& cell = out[i / kCells * kCells + (i + view) % kCells];
        cell = cells[i];
        for (uint32_t& color : cell.colors)
            color = (color & 0xffff) + (view << 12) + ((color >> 24 ^ (view & 1)) << 24);
    }
    return out;
}

Picture::Picture(MeshDevice& meshDevice, uint32_t viewMask)
    : m_viewMask(viewMask),
      m_layers(std::max(static_cast<uint32_t>(std::bit_width(viewMask)), 1u)),
      target(meshDevice.device.createTarget(kSize, kSize, m_layers)),
      m_device(meshDevice),
      m_pixels(meshDevice.device.createBuffer(m_layers * kSize * kSize * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT))
{
}

layertest::Buffer Picture::createCells(const std::vector<Cell>& cells)
{
    const layertest::Buffer buffer = m_device.device.createBuffer(cells.size() * sizeof(Cell));
    std::memcpy(buffer.words, cells.data(), cells.size() * sizeof(Cell));
    return buffer;
}

VkDescriptorSet Picture::createSet(const std::vector<Cell>& cells)
{
    return m_device.device.createSet(createCells(cells), m_device.setLayout);
}

VkRenderingInfo Picture::rendering(VkRenderingFlags flags, VkAttachmentLoadOp loadOp)
{
    m_attachment.imageView = target.view;
    m_attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    m_attachment.loadOp = loadOp;
    m_attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    for (uint32_t i = 0; i < 4; ++i)
        m_attachment.clearValue.color.float32[i] = static_cast<float>(kClear >> (8 * i) & 255) / 255;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.flags = flags;
    info.renderArea = {{0, 0}, {kSize, kSize}};
    info.layerCount = 1;
    info.viewMask = m_viewMask;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &m_attachment;
    return info;
}

void Picture::prepare(VkCommandBuffer cmd) const
{
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT;
    barrier.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = target.handle;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, m_layers};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
}

void Picture::begin(VkCommandBuffer cmd, VkRenderingFlags flags, VkAttachmentLoadOp loadOp)
{
    const VkRenderingInfo info = rendering(flags, loadOp);
    vkCmdBeginRendering(cmd, &info);
    setState(cmd);
}

void Picture::beginPass(VkCommandBuffer cmd, VkRenderPass pass, VkSubpassContents contents) const
{
    VkClearValue clear{};
    for (uint32_t i = 0; i < 4; ++i)
        clear.color.float32[i] = static_cast<float>(kClear >> (8 * i) & 255) / 255;
    VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    info.renderPass = pass;
    info.framebuffer = m_device.device.createFramebuffer(pass, target, kSize, kSize);
    info.renderArea.extent = {kSize, kSize};
    info.clearValueCount = 1;
    info.pClearValues = &clear;
    vkCmdBeginRenderPass(cmd, &info, contents);
}

VkCommandBuffer Picture::beginSecondary() const
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkCommandBufferInheritanceRenderingInfo rendering{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO};
    rendering.flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
    rendering.viewMask = m_viewMask;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    rendering.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    const VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &rendering};
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    begin.pInheritanceInfo = &inheritance;
    const VkCommandBuffer secondary = m_device.device.allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    MILLRACE_CHECK(vkBeginCommandBuffer(secondary, &begin));
    setState(secondary);
    return secondary;
}

VkCommandBuffer Picture::beginLooseSecondary() const
{
    const VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.pInheritanceInfo = &inheritance;
    const VkCommandBuffer secondary = m_device.device.allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    MILLRACE_CHECK(vkBeginCommandBuffer(secondary, &begin));
    return secondary;
}

void Picture::setState(VkCommandBuffer cmd)
{
    const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
    const VkRect2D scissor{{0, 0}, {kSize, kSize}};
    vkCmdSetViewportWithCount(cmd, 1, &viewport);
    vkCmdSetScissorWithCount(cmd, 1, &scissor);
}

void Picture::bind(VkCommandBuffer cmd, VkPipeline pipeline, VkDescriptorSet set, uint32_t firstCell) const
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, m_device.layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(cmd, m_device.layout, kMeshStages, 0, sizeof firstCell, &firstCell);
    const float alpha = static_cast<float>(kAlpha) / 255;
    vkCmdPushConstants(cmd, m_device.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, sizeof alpha, &alpha);
}

void Picture::copy(VkCommandBuffer cmd) const
{
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = target.handle;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, m_layers};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, m_layers};
    region.imageExtent = {kSize, kSize, 1};
    vkCmdCopyImageToBuffer(cmd, target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_pixels.handle, 1, &region);
    VkMemoryBarrier toHost{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    toHost.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    toHost.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &toHost, 0, nullptr, 0,
                         nullptr);
}

Pixels Picture::pixels(uint32_t layer) const
{
    const uint32_t* const first = m_pixels.words + size_t{layer} * kSize * kSize;
    return {first, first + size_t{kSize} * kSize};
}

}  // namespace millrace::meshtest
