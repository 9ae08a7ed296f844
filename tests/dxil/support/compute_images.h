// SPDX-License-Identifier: Apache-2.0
// Images that compute shaders read and write in tests.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/device.h"

namespace millrace::dxil {

struct ImageShape {
    VkImageViewType view = VK_IMAGE_VIEW_TYPE_2D;
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    bool isStorage = false;  // has one level then, otherwise three
    bool isMultisampled = false;
    bool isSparse = false;  // of UINT formats the last layer has no memory then, but for its smallest levels
};

// 16 texels each way, 8 of three dimensions, four layers, 12 of cubes. Every texel of every level has a number of its
// own, those of a multisampled image the same; `seed` makes images differ.
class TestImage {
public:
    TestImage(harness::Device& device, const ImageShape& shape, uint32_t seed);
    ~TestImage();
    TestImage(const TestImage&) = delete;

    VkImageView view() const { return m_view; }
    // All texels of the first level, in words.
    std::vector<uint32_t> read() const;

private:
    void create();
    void bindSparsely(VkDeviceSize alignment) const;
    void fill(uint32_t seed) const;
    void clear(VkCommandBuffer cmd, uint32_t seed) const;
    void transition(VkCommandBuffer cmd, VkImageLayout from, VkImageLayout to) const;
    VkImageSubresourceRange range() const;
    VkBufferImageCopy regionOf(uint32_t level, VkDeviceSize offset) const;
    uint32_t wordsOf(uint32_t level) const;

    harness::Device& m_device;
    const ImageShape m_shape;
    VkExtent3D m_extent{16, 16, 1};
    uint32_t m_layers = 1;
    uint32_t m_levels = 1;
    VkImage m_image = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    VkImageView m_view = VK_NULL_HANDLE;
};

}  // namespace millrace::dxil
