// SPDX-License-Identifier: Apache-2.0
// Short ways to write down nodes.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace millrace::graph {

// Appended, since g++ 12 falsely warns of an overlap in `"n" + std::to_string(i)`.
inline std::string numbered(std::string name, uint32_t number)
{
    return name += std::to_string(number);
}

inline NodeOutput outputTo(std::string name, uint32_t budget = 1, uint32_t payloadBytes = 16)
{
    NodeOutput output;
    output.targetName = std::move(name);
    output.payloadBytes = payloadBytes;
    output.budget = budget;
    output.allocationSites = 1;
    return output;
}

inline NodeOutput arrayTo(std::string name, uint32_t size, uint32_t budget = 1, uint32_t payloadBytes = 16)
{
    NodeOutput output = outputTo(std::move(name), budget, payloadBytes);
    output.arraySize = size;
    return output;
}

// A static node of one workgroup with an input of 16 bytes. The first node of a test is the entry unless told
// otherwise.
inline Node makeNode(std::string name, std::vector<NodeOutput> outputs = {}, uint32_t index = 0)
{
    Node node;
    node.declared.id = {std::move(name), index};
    node.declared.mode = LaunchMode::Static;
    node.declared.declaresPayload = true;
    node.declared.payloadBytes = 16;
    node.declared.apiEntry = false;
    node.declared.outputs = std::move(outputs);
    for (uint32_t i = 0; i < node.declared.outputs.size(); ++i)
        node.declared.outputs[i].budgetPool = i;
    return node;
}

inline Node makeEntry(std::string name, std::vector<NodeOutput> outputs = {})
{
    Node node = makeNode(std::move(name), std::move(outputs));
    node.declared.apiEntry = true;
    return node;
}

inline Node makeDynamic(std::string name, uint32_t maxX = 4)
{
    Node node = makeNode(std::move(name));
    node.declared.mode = LaunchMode::Dynamic;
    node.declared.declaresMaxGrid = true;
    node.declared.maxGrid[0] = maxX;
    node.declared.maxGrid[1] = node.declared.maxGrid[2] = 1;
    node.declared.grid = {.offsetBytes = 0, .components = 1, .componentBytes = 4};
    return node;
}

inline Node makeCoalescing(std::string name, uint32_t maxInputPayloads)
{
    Node node = makeNode(std::move(name));
    node.declared.mode = LaunchMode::Coalescing;
    node.declared.maxInputPayloads = maxInputPayloads;
    return node;
}

inline Node makePacked(std::string name, std::vector<NodeOutput> outputs = {})
{
    Node node = makeNode(std::move(name), std::move(outputs));
    node.declared.mode = LaunchMode::Coalescing;
    node.decided.packWidth = 64;
    return node;
}

inline Node sharing(Node node, NodeId base)
{
    node.declared.sharesInputWith = std::move(base);
    node.declared.apiEntry = false;
    return node;
}

// Requires a valid graph.
inline Graph linkValid(std::vector<Node> nodes)
{
    Result<Graph> graph = link(std::move(nodes));
    if (!graph) {
        ADD_FAILURE() << graph.error().text();
        return {};
    }
    return std::move(*graph);
}

// The text of the diagnostic, empty if the graph is valid.
inline std::string linkError(std::vector<Node> nodes)
{
    const Result<Graph> graph = link(std::move(nodes));
    return graph ? "" : graph.error().text();
}

inline const Slot& slotOf(const Graph& graph, const std::string& name, uint32_t remaining = 0, uint32_t index = 0)
{
    static const Slot kNone;
    for (const Slot& slot : graph.slots) {
        const NodeId& id = graph.nodes[slot.node].declared.id;
        if (id.name == name && id.index == index && slot.remaining == remaining)
            return slot;
    }
    ADD_FAILURE() << "no slot of " << name << "[" << index << "] with " << remaining << " remaining";
    return kNone;
}

// The queue of each node index.
inline std::vector<uint32_t> mapOf(const Graph& graph, const Slot& slot, size_t output = 0)
{
    const std::span<const uint32_t> queues = graph.queuesOf(slot, output);
    return {queues.begin(), queues.end()};
}

inline const Queue& queueOf(const Graph& graph, const std::string& name, uint32_t remaining = 0, uint32_t index = 0)
{
    return graph.queues.at(slotOf(graph, name, remaining, index).queue);
}

}  // namespace millrace::graph
