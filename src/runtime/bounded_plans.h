// SPDX-License-Identifier: Apache-2.0
// The bounded plans of a graph (graph::planBounded()), which take many plans to find: applications record the same
// dispatch again and again.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "graph/plan.h"

namespace millrace::runtime {

// Thread-safe.
class BoundedPlans {
public:
    // Always of the same graph.
    std::optional<graph::BoundedPlan> find(const graph::Graph& graph, uint64_t scratchBytes)
    {
        constexpr size_t kMostSizes = 8;  // of scratch memory; who uses more waits for a new plan now and then
        const std::lock_guard lock(m_mutex);
        const auto known = m_plans.find(scratchBytes);
        if (known != m_plans.end())
            return known->second;
        if (m_plans.size() == kMostSizes)
            m_plans.clear();
        return m_plans[scratchBytes] = graph::planBounded(graph, scratchBytes);
    }

private:
    std::mutex m_mutex;
    std::map<uint64_t, std::optional<graph::BoundedPlan>> m_plans;  // by bytes of scratch memory
};

}  // namespace millrace::runtime
