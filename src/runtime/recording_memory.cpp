// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording_memory.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace millrace::runtime {

namespace {

std::string_view nameOf(BufferUse use)
{
    switch (use) {
        case BufferUse::Upload:
            return "plans and inputs of graphs";
        case BufferUse::Indirect:
            return "indirect arguments of graphs";
        default:
            return "status of graphs";
    }
}

}  // namespace

// Parts begin where whole buffers do. So the device writes no cache line of a status that another thread reads for its
// neighbour. The host's writes and reads need no ranges that could touch neighbours: what is mapped is coherent.
VkResult RecordingMemory::take(Memory& memory, const Names& names, BufferUse use, VkDeviceSize bytes, BufferPart& out)
{
    Block& block = m_blocks[static_cast<size_t>(use)];
    const VkDeviceSize needed = (bytes + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
    if (needed > block.size - block.used) {
        Buffer made;
        const VkDeviceSize size = std::max(needed, block.nextBytes);
        if (const VkResult result = memory.createBuffer(use, size, made); result != VK_SUCCESS)
            return result;
        names.set(VK_OBJECT_TYPE_BUFFER, made.handle(), {nameOf(use)});
        auto fresh = std::make_shared<const Buffer>(std::move(made));
        block.nextBytes = std::min(2 * block.nextBytes, kMostBytes);
        // What follows goes where more room is left.
        if (size - needed < block.size - block.used) {
            out.m_buffer = std::move(fresh);
            out.m_offset = 0;
            return VK_SUCCESS;
        }
        block.buffer = std::move(fresh);
        block.size = size;
        block.used = 0;
    }
    out.m_buffer = block.buffer;
    out.m_offset = std::exchange(block.used, block.used + needed);
    return VK_SUCCESS;
}

}  // namespace millrace::runtime
