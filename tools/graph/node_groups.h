// SPDX-License-Identifier: Apache-2.0
// A linked graph for people to read: equal nodes of an array as one, and what reaches what.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace millrace::tools {

// Nodes of one name that differ in nothing but their index.
struct NodeGroup {
    std::vector<uint32_t> nodes;   // into Graph::nodes, by index of the node array; never empty
    std::vector<uint32_t> levels;  // on which their slots are; empty if nothing can reach them
};

// What the nodes of a group may enqueue with one output to the nodes of another.
struct PayloadEdge {
    uint32_t from = 0;    // into NodeGraph::groups
    uint32_t output = 0;  // into Node::outputs of the group's nodes
    uint32_t to = 0;
    auto operator<=>(const PayloadEdge&) const = default;
};

// Nodes that run on the input of others.
struct SharingEdge {
    uint32_t base = 0;
    uint32_t sharer = 0;
    auto operator<=>(const SharingEdge&) const = default;
};

struct NodeGraph {
    std::vector<NodeGroup> groups;      // in the order of their first nodes
    std::vector<uint32_t> groupOfNode;  // per node
    std::vector<PayloadEdge> payloads;  // sorted
    std::vector<SharingEdge> sharings;  // sorted
    // What is allowed and seldom meant: outputs that reach nothing, nodes that nothing reaches.
    std::vector<std::string> warnings;
};

NodeGraph groupNodes(const graph::Graph& graph);

// "name[3]", or "name[0-15, 17]" for several.
std::string groupName(const graph::Graph& graph, const NodeGroup& group);

}  // namespace millrace::tools
