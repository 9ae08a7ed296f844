// SPDX-License-Identifier: Apache-2.0
// What `millrace graph` says of a graph that keeps the rules: a table for people, JSON for programs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "graph/plan.h"
#include "nodes/fuse_graph.h"
#include "tools/graph/node_groups.h"

namespace millrace::tools {

struct GraphReport {
    graph::Graph graph;
    NodeGraph groups;
    graph::ScratchSizes scratch;
    std::vector<std::string> files;              // per node
    std::vector<nodes::FusionOutcome> fusion{};  // the graph is the one before
    std::vector<bool> leaves{};                  // per node: graph::Graph::areLeaves() of the graph that runs
};

void printReport(std::ostream& out, const GraphReport& report);
nlohmann::json reportJson(const GraphReport& report);

}  // namespace millrace::tools
