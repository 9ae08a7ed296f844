// SPDX-License-Identifier: Apache-2.0
// The picture that a way draws, with its depth.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/gpu.h"

namespace millrace::bench {

inline constexpr VkFormat kColorFormat = VK_FORMAT_R8G8B8A8_UNORM;
inline constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;

class Target {
public:
    Target(Gpu& gpu, uint32_t width, uint32_t height);
    ~Target();
    Target(const Target&) = delete;

    // Clears it, in a rendering instance of its own.
    void clear(VkCommandBuffer commands) const;
    // Begins an instance that goes on with what is there.
    void begin(VkCommandBuffer commands) const;
    // To where the host reads it.
    void copy(VkCommandBuffer commands) const;
    // As the last copy has them.
    std::vector<uint32_t> pixels() const;

private:
    struct Attachment {
        VkImage image = VK_NULL_HANDLE;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        VkImageView view = VK_NULL_HANDLE;
    };

    Attachment create(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) const;
    void destroy(const Attachment& attachment) const;
    void begin(VkCommandBuffer commands, VkAttachmentLoadOp load) const;
    static VkImageMemoryBarrier change(const Attachment& attachment, VkImageAspectFlags aspect, VkImageLayout from,
                                       VkImageLayout to);

    Gpu& m_gpu;
    const uint32_t m_width, m_height;
    Attachment m_color, m_depth;
    GpuBuffer m_readback;
};

}  // namespace millrace::bench
