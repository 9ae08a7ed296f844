// SPDX-License-Identifier: Apache-2.0
#include "dxil/support/compute_images.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace millrace::dxil {

namespace {

using harness::Buffer;
using harness::check;

bool isDepth(VkFormat format)
{
    return format == VK_FORMAT_D32_SFLOAT;
}

bool isFloat(VkFormat format)
{
    return isDepth(format) || format == VK_FORMAT_R32_SFLOAT || format == VK_FORMAT_R32G32B32A32_SFLOAT;
}

uint32_t wordsPerTexel(VkFormat format)
{
    return format == VK_FORMAT_R32G32B32A32_SFLOAT || format == VK_FORMAT_R32G32B32A32_UINT ||
                   format == VK_FORMAT_R32G32B32A32_SINT
               ? 4
               : 1;
}

// Floats that every filter gives exactly, depths from 0 to 1.
uint32_t word(VkFormat format, uint32_t number)
{
    if (isDepth(format))
        return std::bit_cast<uint32_t>(static_cast<float>(number % 65) / 64);
    return isFloat(format) ? std::bit_cast<uint32_t>(static_cast<float>(number % 401) / 16) : number % 401;
}

bool isOf(VkImageViewType view, std::initializer_list<VkImageViewType> several)
{
    return std::ranges::find(several, view) != several.end();
}

}  // namespace

TestImage::TestImage(harness::Device& device, const ImageShape& shape, uint32_t seed) : m_device(device), m_shape(shape)
{
    if (isOf(shape.view, {VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY}))
        m_extent.height = 1;
    else if (shape.view == VK_IMAGE_VIEW_TYPE_3D)
        m_extent = {8, 8, 8};
    m_layers = shape.view == VK_IMAGE_VIEW_TYPE_CUBE                                          ? 6
               : shape.view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY                                  ? 12
               : isOf(shape.view, {VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_VIEW_TYPE_2D_ARRAY}) ? 4
                                                                                              : 1;
    m_levels = shape.isStorage || shape.isMultisampled ? 1 : 3;
    create();
    fill(seed);
}

TestImage::~TestImage()
{
    vkDestroyImageView(m_device.device, m_view, nullptr);
    vkDestroyImage(m_device.device, m_image, nullptr);
    vkFreeMemory(m_device.device, m_memory, nullptr);
}

VkImageSubresourceRange TestImage::range() const
{
    const VkImageAspectFlags aspect = isDepth(m_shape.format) ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    return {aspect, 0, m_levels, 0, m_layers};
}

void TestImage::create()
{
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.flags = isOf(m_shape.view, {VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY})
                     ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT
                     : 0;
    if (m_shape.isSparse)
        info.flags |= VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
    info.imageType = m_extent.depth > 1 ? VK_IMAGE_TYPE_3D : m_extent.height > 1 ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_1D;
    info.format = m_shape.format;
    info.extent = m_extent;
    info.mipLevels = m_levels;
    info.arrayLayers = m_layers;
    info.samples = m_shape.isMultisampled ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                 (m_shape.isStorage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT);
    check(vkCreateImage(m_device.device, &info, nullptr, &m_image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(m_device.device, m_image, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = static_cast<uint32_t>(std::countr_zero(needs.memoryTypeBits));
    check(vkAllocateMemory(m_device.device, &allocate, nullptr, &m_memory), "vkAllocateMemory");
    if (m_shape.isSparse)
        bindSparsely(needs.alignment);
    else
        check(vkBindImageMemory(m_device.device, m_image, m_memory, 0), "vkBindImageMemory");
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = m_image;
    view.viewType = m_shape.view;
    view.format = m_shape.format;
    view.subresourceRange = range();
    check(vkCreateImageView(m_device.device, &view, nullptr, &m_view), "vkCreateImageView");
}

// A block for each layer of each level, since these are smaller than blocks; levels of the tail together.
void TestImage::bindSparsely(VkDeviceSize alignment) const
{
    VkSparseImageMemoryRequirements needs{};
    uint32_t count = 1;
    vkGetImageSparseMemoryRequirements(m_device.device, m_image, &count, &needs);
    const VkExtent3D block = needs.formatProperties.imageGranularity;
    if (count != 1 || block.width < m_extent.width || block.height < m_extent.height)
        throw std::runtime_error("a sparse image of several aspects or blocks");
    const bool hasOneTail = (needs.formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT) != 0;
    std::vector<VkSparseImageMemoryBind> blocks;
    std::vector<VkSparseMemoryBind> tails;
    VkDeviceSize at = 0;
    for (uint32_t layer = 0; layer < m_layers; ++layer) {
        const bool isAbsent = m_shape.format == VK_FORMAT_R32G32B32A32_UINT && layer + 1 == m_layers;
        for (uint32_t level = 0; level < std::min(m_levels, needs.imageMipTailFirstLod) && !isAbsent; ++level) {
            blocks.push_back({{range().aspectMask, level, layer}, {}, regionOf(level, 0).imageExtent, m_memory, at, 0});
            at += alignment;
        }
        if (needs.imageMipTailFirstLod < m_levels && (layer == 0 || !hasOneTail)) {
            tails.push_back(
                {needs.imageMipTailOffset + layer * needs.imageMipTailStride, needs.imageMipTailSize, m_memory, at, 0});
            at += needs.imageMipTailSize;
        }
    }
    const VkSparseImageMemoryBindInfo blockInfo{m_image, static_cast<uint32_t>(blocks.size()), blocks.data()};
    const VkSparseImageOpaqueMemoryBindInfo tailInfo{m_image, static_cast<uint32_t>(tails.size()), tails.data()};
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    info.imageOpaqueBindCount = tails.empty() ? 0 : 1;
    info.pImageOpaqueBinds = &tailInfo;
    info.imageBindCount = blocks.empty() ? 0 : 1;
    info.pImageBinds = &blockInfo;
    check(vkQueueBindSparse(m_device.queue, 1, &info, VK_NULL_HANDLE), "vkQueueBindSparse");
    check(vkQueueWaitIdle(m_device.queue), "vkQueueWaitIdle");
}

uint32_t TestImage::wordsOf(uint32_t level) const
{
    return std::max(1u, m_extent.width >> level) * std::max(1u, m_extent.height >> level) *
           std::max(1u, m_extent.depth >> level) * m_layers * wordsPerTexel(m_shape.format);
}

VkBufferImageCopy TestImage::regionOf(uint32_t level, VkDeviceSize offset) const
{
    VkBufferImageCopy out{};
    out.bufferOffset = offset;
    out.imageSubresource = {range().aspectMask, level, 0, m_layers};
    out.imageExtent = {std::max(1u, m_extent.width >> level), std::max(1u, m_extent.height >> level),
                       std::max(1u, m_extent.depth >> level)};
    return out;
}

void TestImage::transition(VkCommandBuffer cmd, VkImageLayout from, VkImageLayout to) const
{
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = m_image;
    barrier.subresourceRange = range();
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
}

// Multisampled images cannot be copied to.
void TestImage::clear(VkCommandBuffer cmd, uint32_t seed) const
{
    VkClearColorValue value{};
    for (uint32_t c = 0; c < 4; ++c)
        value.uint32[c] = word(m_shape.format, 37 * c + seed);
    const VkImageSubresourceRange all = range();
    vkCmdClearColorImage(cmd, m_image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &all);
}

void TestImage::fill(uint32_t seed) const
{
    std::vector<uint32_t> words;
    std::vector<VkBufferImageCopy> regions;
    for (uint32_t level = 0; level < m_levels; ++level) {
        regions.push_back(regionOf(level, words.size() * 4));
        const uint32_t count = wordsOf(level);
        for (uint32_t w = 0; w < count; ++w)
            words.push_back(word(m_shape.format, 37 * static_cast<uint32_t>(words.size()) + seed));
    }
    const Buffer staging = m_device.createBuffer(words.size() * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    std::ranges::copy(words, staging.words());
    m_device.submit([&](VkCommandBuffer cmd) {
        transition(cmd, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        if (m_shape.isMultisampled)
            clear(cmd, seed);
        else
            vkCmdCopyBufferToImage(cmd, staging.handle, m_image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                   static_cast<uint32_t>(regions.size()), regions.data());
        transition(cmd, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    });
    m_device.destroyBuffer(staging);
}

std::vector<uint32_t> TestImage::read() const
{
    const uint32_t count = wordsOf(0);
    const Buffer staging = m_device.createBuffer(uint64_t{count} * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    m_device.submit([&](VkCommandBuffer cmd) {
        transition(cmd, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        const VkBufferImageCopy region = regionOf(0, 0);
        vkCmdCopyImageToBuffer(cmd, m_image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging.handle, 1, &region);
        transition(cmd, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    });
    std::vector<uint32_t> out(staging.words(), staging.words() + count);
    m_device.destroyBuffer(staging);
    return out;
}

}  // namespace millrace::dxil
