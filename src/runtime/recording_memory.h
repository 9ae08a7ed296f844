// SPDX-License-Identifier: Apache-2.0
// Buffers that the dispatches of one recording share: most of them find room in one that is there.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "runtime/memory.h"

namespace millrace::runtime {

// Part of a buffer, which stays as long as one of its parts.
class BufferPart {
public:
    VkBuffer buffer() const { return m_buffer ? m_buffer->handle() : VK_NULL_HANDLE; }
    VkDeviceSize offset() const { return m_offset; }
    VkDeviceAddress address() const { return m_buffer ? m_buffer->address() + m_offset : 0; }
    // Null if the buffer is not mapped.
    std::byte* data() const { return m_buffer && m_buffer->data() ? m_buffer->data() + m_offset : nullptr; }

private:
    friend class RecordingMemory;
    std::shared_ptr<const Buffer> m_buffer;
    VkDeviceSize m_offset = 0;
};

// Of what one command buffer records from its beginning to its reset; what is taken meanwhile is not given back one by
// one. Like the command buffer, for one thread at a time.
class RecordingMemory {
public:
    // For `bytes` > 0. The errors of Memory::createBuffer.
    VkResult take(Memory& memory, const Names& names, BufferUse use, VkDeviceSize bytes, BufferPart& out);
    // What is taken from now on shares nothing with what was. Parts stay.
    void clear() { m_blocks = {}; }

private:
    // Many command buffers have one small dispatch, few have thousands.
    static constexpr VkDeviceSize kFirstBytes = 4096;
    static constexpr VkDeviceSize kMostBytes = 256 * 1024;

    struct Block {
        std::shared_ptr<const Buffer> buffer;  // the one with the most room
        VkDeviceSize size = 0;
        VkDeviceSize used = 0;
        VkDeviceSize nextBytes = kFirstBytes;
    };
    std::array<Block, kBufferUses> m_blocks;  // for each use
};

}  // namespace millrace::runtime
