// SPDX-License-Identifier: Apache-2.0
// VkIndirectCommandsLayoutEXT and VkIndirectExecutionSetEXT: objects of the layer's, which the driver never sees.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <mutex>
#include <vector>

#include "commands/layout.h"
#include "layer/commands/kept_pipelines.h"

namespace millrace::layer {

// Immutable.
struct IndirectLayout {
    commands::Layout layout;
    bool isUnordered = false;  // sequences may run in any order

    VkPipelineBindPoint bindPoint() const
    {
        return layout.action == commands::Action::Dispatch ? VK_PIPELINE_BIND_POINT_COMPUTE
                                                           : VK_PIPELINE_BIND_POINT_GRAPHICS;
    }
};

// Pipelines or compute shader objects by index; null where there is none yet. Commands take what is there when
// they are recorded.
struct ExecutionSet {
    using Pipelines = std::vector<std::shared_ptr<KeptPipeline>>;

    explicit ExecutionSet(size_t count) : m_pipelines(count) {}

    void set(uint32_t index, std::shared_ptr<KeptPipeline> pipeline)
    {
        std::lock_guard lock(m_mutex);
        if (index < m_pipelines.size())
            m_pipelines[index] = std::move(pipeline);
    }
    Pipelines pipelines() const
    {
        std::lock_guard lock(m_mutex);
        return m_pipelines;
    }

private:
    mutable std::mutex m_mutex;
    Pipelines m_pipelines;
};

}  // namespace millrace::layer
