// SPDX-License-Identifier: Apache-2.0
// Query pools of the application.
#pragma once

#include <vulkan/vulkan.h>

namespace millrace::layer {

struct QueryPool {
    VkQueryType type;
    VkQueryPipelineStatisticFlags statistics;  // of pipelines

    // True if nothing counts that is recorded outside of render pass instances.
    bool countsOnlyDraws() const;
};

}  // namespace millrace::layer
