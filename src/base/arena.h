// SPDX-License-Identifier: Apache-2.0
// Memory that is taken piece by piece and given back all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace millrace {

class Arena {
public:
    // Aligned for any type, and not initialized; stays where it is until clear(). May throw std::bad_alloc.
    std::byte* take(size_t bytes)
    {
        bytes = (bytes + kAlignment - 1) & ~(kAlignment - 1);
        if (bytes > m_left)
            addBlock(bytes);
        std::byte* const taken = m_next;
        m_next += bytes;
        m_left -= bytes;
        return taken;
    }

    // Everything that was taken is void. The last block, which is the largest, is kept for what comes.
    void clear()
    {
        if (m_blocks.empty())
            return;
        m_blocks.erase(m_blocks.begin(), m_blocks.end() - 1);
        m_next = m_blocks.back().get();
        m_left = m_blockBytes;
    }

private:
    static constexpr size_t kAlignment = alignof(std::max_align_t);
    static constexpr size_t kFirstBlockBytes = 2048;

    void addBlock(size_t bytes)
    {
        const size_t blockBytes = std::max({kFirstBlockBytes, 2 * m_blockBytes, bytes});
        m_blocks.push_back(std::make_unique_for_overwrite<std::byte[]>(blockBytes));
        m_blockBytes = blockBytes;
        m_next = m_blocks.back().get();
        m_left = blockBytes;
    }

    std::vector<std::unique_ptr<std::byte[]>> m_blocks;
    size_t m_blockBytes = 0;  // of the last one
    std::byte* m_next = nullptr;
    size_t m_left = 0;
};

}  // namespace millrace
