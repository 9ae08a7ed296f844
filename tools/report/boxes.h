// SPDX-License-Identifier: Apache-2.0
// What the page needs to draw a graph.
#pragma once

#include <vector>

#include "tools/report/summary.h"

namespace millrace::tools::report {

// For each node, the first of those that share its box: nodes of an array do that are launched alike.
std::vector<uint32_t> boxesOf(const GraphSummary& graph);

// For each node the first level that it may run at.
std::vector<uint32_t> depthsOf(const GraphSummary& graph);

}  // namespace millrace::tools::report
