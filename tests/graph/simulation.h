// SPDX-License-Identifier: Apache-2.0
// Runs a dispatch as the shaders do, with random emissions inside the declared budgets, and counts instead of memory.
#pragma once

#include <span>
#include <vector>

#include "graph/plan.h"
#include "random_graph.h"

namespace millrace::graph {

struct SimulationResult {
    uint32_t sweeps = 0;
    std::vector<uint64_t> groups;  // per slot: workgroups of ours
};

// Reports a test failure if a region, a table or a budget overflows, or a sweep makes no progress. Workgroups emit
// nothing more after `payloadLimit` payloads, so that every graph comes to an end.
SimulationResult simulate(const Graph& graph, const DispatchPlan& plan, std::span<const KnownInput> inputs,
                          Random& random, uint64_t payloadLimit);

}  // namespace millrace::graph
