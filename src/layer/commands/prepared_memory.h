// SPDX-License-Identifier: Apache-2.0
// For what memory for preprocessing was last recorded, or submitted, to be written.
#pragma once

#include <vulkan/vulkan.h>

#include <mutex>
#include <optional>
#include <unordered_map>

#include "layer/recording/watched.h"

namespace millrace::layer {

// How draws with an execution set are preprocessed.
struct Prepared {
    bool isAsOne = false;  // for its pipelines as one, or for each of them
    // Of the set, where its shader objects make pipelines together that kernels know by numbers, or of the pipelines
    // that kernels know by addresses; else 0.
    uint64_t version = 0;
};

// By address. The set may change between the commands that preprocess and execute. Thread-safe.
class PreparedMemory {
public:
    void note(VkDeviceAddress address, Prepared prepared)
    {
        std::lock_guard lock(m_mutex);
        // Addresses of memory that is gone are among them.
        if (m_prepared.size() >= kMost)
            m_prepared.clear();
        m_prepared[address] = prepared;
    }
    // None if nothing was recorded for that memory, or too long ago.
    std::optional<Prepared> find(VkDeviceAddress address) const
    {
        std::lock_guard lock(m_mutex);
        const auto found = m_prepared.find(address);
        return found == m_prepared.end() ? std::nullopt : std::optional(found->second);
    }

private:
    static constexpr size_t kMost = 65536;

    mutable std::mutex m_mutex;
    std::unordered_map<VkDeviceAddress, Prepared> m_prepared;
};

// Of a command that preprocesses, which was perhaps not recorded last: in CommandBuffer::forSubmission.
class PreparedNote final : public Watched {
public:
    PreparedNote(PreparedMemory& memory, VkDeviceAddress address, Prepared prepared)
        : m_memory(memory), m_address(address), m_prepared(prepared)
    {
    }

    void beforeSubmission() override { m_memory.note(m_address, m_prepared); }
    void report() noexcept override {}

private:
    PreparedMemory& m_memory;
    const VkDeviceAddress m_address;
    const Prepared m_prepared;
};

}  // namespace millrace::layer
