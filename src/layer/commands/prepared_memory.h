// SPDX-License-Identifier: Apache-2.0
// For what memory for preprocessing was last recorded to be written.
#pragma once

#include <vulkan/vulkan.h>

#include <mutex>
#include <optional>
#include <unordered_map>

namespace millrace::layer {

// How draws with an execution set are preprocessed: for its pipelines as one, or for each of them.
enum class Prepared { AsOne, Apart };

// By address. The set, and with it what can be drawn as one, may change between the commands that preprocess and
// execute. Thread-safe.
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

}  // namespace millrace::layer
