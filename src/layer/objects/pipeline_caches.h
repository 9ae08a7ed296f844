// SPDX-License-Identifier: Apache-2.0
// Pipeline caches: what was compiled with them, beside what the driver keeps.
#pragma once

#include <vulkan/vulkan.h>

#include <map>
#include <memory>
#include <mutex>

#include "layer/base/content_key.h"
#include "nodes/fuse_graph.h"

namespace millrace::layer {

// By content. Thread-safe.
template <typename T>
class ContentMap {
public:
    std::shared_ptr<const T> find(const ContentKey& key) const
    {
        std::lock_guard lock(m_mutex);
        const auto found = m_values.find(key);
        return found == m_values.end() ? nullptr : found->second;
    }

    void insert(const ContentKey& key, std::shared_ptr<const T> value)
    {
        std::lock_guard lock(m_mutex);
        m_values.emplace(key, std::move(value));
    }

    void merge(const ContentMap& other)
    {
        if (&other == this)
            return;
        std::scoped_lock lock(m_mutex, other.m_mutex);
        m_values.insert(other.m_values.begin(), other.m_values.end());
    }

private:
    mutable std::mutex m_mutex;
    std::map<ContentKey, std::shared_ptr<const T>> m_values;
};

struct PipelineCache {
    explicit PipelineCache(bool external) : externallySynchronized(external) {}

    // The application guards the driver's cache; the layer's threads must not use it at the same time.
    const bool externallySynchronized;
    // Recursive: a callback that the driver calls may use the cache as well, though Vulkan forbids it.
    std::recursive_mutex driverMutex;

    ContentMap<spirv::Words> modules;  // which keys of what was prepared begin with
    ContentMap<nodes::PreparedNode> prepared;
    ContentMap<nodes::FusedCode> fused;
};

}  // namespace millrace::layer
