// SPDX-License-Identifier: Apache-2.0
// The driver's pipelines of one node's code: one for each use of memory.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "layer/graphs/lowered_code.h"
#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/shader_modules.h"
#include "nodes/compile.h"

namespace millrace::layer {

struct PipelineCache;

// One stage, with everything that may be gone after the creating command copied.
struct NodeRequest {
    SharedWords words;
    nodes::Options options;
    VkPipelineShaderStageCreateFlags stageFlags = 0;
    uint32_t requiredSubgroupSize = 0;  // 0: the driver's choice
    std::optional<VkPipelineRobustnessCreateInfo> robustness;
};

// Most dispatches of a graph are of one sort, so each pipeline is made when it is first asked for. Thread-safe.
class NodeCode {
public:
    // `flags` are those that the driver may see. `code.memory` means nothing.
    // `lowered` may be that of other code as well.
    NodeCode(std::shared_ptr<GraphLayout> layout, const NodeRequest& request, std::shared_ptr<LoweredCode> lowered,
             const nodes::Code& code, VkPipelineCreateFlags flags);
    ~NodeCode();
    NodeCode(const NodeCode&) = delete;
    NodeCode& operator=(const NodeCode&) = delete;

    // A cache of the application's that lives during the call.
    struct Cache {
        VkPipelineCache handle = VK_NULL_HANDLE;
        PipelineCache* known = nullptr;
    };
    // Returns an error of the driver, or VK_PIPELINE_COMPILE_REQUIRED. `feedback` may be null.
    VkResult get(graph::MemoryUse memory, const Cache& cache, VkPipeline& out,
                 VkPipelineCreationFeedbackFlags* feedback = nullptr);

    // The pipeline if it is there, else VK_NULL_HANDLE. Waits for nobody.
    VkPipeline find(graph::MemoryUse memory) const { return m_pipelines[static_cast<size_t>(usedFor(memory))].load(); }
    // The pipeline that most dispatches use of those that there are, VK_NULL_HANDLE if there is none.
    VkPipeline usual() const;
    bool batched() const { return m_code.batched; }
    // Frees what pipelines are made of, since no more are expected: LoweredCode::release().
    void release() { m_lowered->release(); }
    bool isReleased() const { return m_lowered->isReleased(); }

private:
    graph::MemoryUse usedFor(graph::MemoryUse memory) const;
    VkResult create(graph::MemoryUse memory, const Cache& cache, VkPipeline& out,
                    VkPipelineCreationFeedbackFlags* feedback) const;
    VkResult callDriver(const spirv::Words& words, const Cache& cache, VkPipeline& out,
                        VkPipelineCreationFeedbackFlags* feedback) const;

    const std::shared_ptr<GraphLayout> m_layout;
    const NodeRequest m_request;
    const std::shared_ptr<LoweredCode> m_lowered;
    const nodes::Code m_code;
    const VkPipelineCreateFlags m_flags;
    std::recursive_mutex m_mutex;  // while a pipeline is made
    bool m_isCreating = false;
    // By graph::MemoryUse. Written with the lock.
    std::array<std::atomic<VkPipeline>, graph::kMemoryUses> m_pipelines{};
};

}  // namespace millrace::layer
