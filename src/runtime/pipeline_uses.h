// SPDX-License-Identifier: Apache-2.0
// Which of a graph's pipelines a dispatch needs.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/plan.h"
#include "runtime/runtime.h"

namespace millrace::runtime {

// How the slots of a dispatch with this plan are run.
class SlotUses {
public:
    // The graph must outlive this object.
    SlotUses(const graph::Graph& graph, const graph::DispatchPlan& plan, Path path);

    // fit.comp finds out whether the level fits, and either of two dispatches runs a slot of it that may send
    // (docs/design.md#the-level-tries). The same for all of them, since they share the level's memory.
    bool tries(uint32_t level) const { return m_tries[level]; }
    // A sweep runs the slot with code that reserves nothing, or may do so.
    bool mayFit(const graph::Slot& slot) const;
    // Likewise, with code that reserves.
    bool mayReserve(const graph::Slot& slot) const;

private:
    const graph::Graph& m_graph;
    bool m_fits;
    Path m_path;
    std::vector<bool> m_tries;  // by level
};

// One or two for each node that a dispatch with this plan may run.
std::vector<PipelineUse> pipelineUses(const graph::Graph& graph, const graph::DispatchPlan& plan, Path path);

// What dispatches with `pipeline.sizes.maxBytes` and `minBytes` need whose inputs only the device knows, in this order,
// each once.
std::vector<PipelineUse> laterUses(const GraphPipeline& pipeline, Path path);

}  // namespace millrace::runtime
