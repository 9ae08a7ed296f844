// SPDX-License-Identifier: Apache-2.0
// Pipeline caches: what was lowered with them, beside what the driver keeps.
#pragma once

#include <vulkan/vulkan.h>

#include <map>
#include <memory>
#include <mutex>

#include "compiler/fuse_graph.h"
#include "layer/content_hash.h"

namespace millrace::layer {

// Thread-safe.
struct PipelineCache {
    explicit PipelineCache(bool external) : externallySynchronized(external) {}

    // The application guards the driver's cache; the layer's threads must not use it at the same time.
    const bool externallySynchronized;
    std::mutex driverMutex;

    std::shared_ptr<const compiler::LoweredNode> find(const ContentHash::Value& key) const;
    void insert(const ContentHash::Value& key, std::shared_ptr<const compiler::LoweredNode> node);
    std::shared_ptr<const compiler::FusedCode> findFused(const ContentHash::Value& key) const;
    void insertFused(const ContentHash::Value& key, std::shared_ptr<const compiler::FusedCode> code);
    void merge(const PipelineCache& other);

private:
    mutable std::mutex m_mutex;
    std::map<ContentHash::Value, std::shared_ptr<const compiler::LoweredNode>> m_nodes;
    std::map<ContentHash::Value, std::shared_ptr<const compiler::FusedCode>> m_fused;
};

}  // namespace millrace::layer
