// SPDX-License-Identifier: Apache-2.0
// A graph with its flow as a picture for the page, laid out by Graphviz.
#pragma once

#include <string>

#include "base/result.h"
#include "tools/report/summary.h"

namespace millrace::tools::report {

// An SVG element. Nodes are groups of class "node" with the id "g<graph>n<node>"; nodes of a large array share one,
// that of the first. Colours are the page's to choose.
Result<std::string> drawFlow(const TraceSummary& trace, uint32_t graph);

// For each node of a graph, whose box it is in.
std::vector<uint32_t> boxesOf(const GraphSummary& graph);

}  // namespace millrace::tools::report
