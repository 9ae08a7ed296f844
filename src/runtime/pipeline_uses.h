// SPDX-License-Identifier: Apache-2.0
// Which of a graph's pipelines a dispatch needs.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/plan.h"
#include "runtime/runtime.h"

namespace millrace::runtime {

// True if one dispatch tries to run the level as if it fits, before another one reserves (docs/design.md#memory). The
// same for all slots of the level, since they share its memory.
bool triesToFit(const graph::Graph& graph, const graph::DispatchPlan& plan, Path path, uint32_t level);

// One for each node that a dispatch with this plan may run, and one more for those of levels that it tries to fit.
std::vector<PipelineUse> pipelineUses(const graph::Graph& graph, const graph::DispatchPlan& plan, Path path);

// What dispatches with `pipeline.sizes.maxBytes` and `minBytes` need whose inputs only the device knows, in this order,
// each once.
std::vector<PipelineUse> laterUses(const GraphPipeline& pipeline, Path path);

}  // namespace millrace::runtime
