// SPDX-License-Identifier: Apache-2.0
#include "tools/graph/node_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "graph/diagnose.h"
#include "tools/console.h"

namespace millrace::tools {

namespace {

// "own" for the node's own index, so that nodes that each go on with the same index of another array are equal.
std::string relativeIndex(uint32_t index, const graph::NodeDeclaration& node)
{
    return index == node.id.index ? "own" : std::to_string(index);
}

void describe(std::ostream& out, const graph::NodeDeclaration& node, const graph::NodeOutput& output)
{
    out << "|" << output.targetName << "|" << output.baseIndex << "|"
        << (output.arraySize ? std::to_string(*output.arraySize) : "") << "|"
        << (output.constantIndex ? relativeIndex(*output.constantIndex, node) : "") << "|" << output.sparse
        << output.payloadBytes << "|" << output.budget << "|" << output.budgetPool << "|" << output.allocationSites
        << output.allocatesInLoop << output.perInvocation << output.tracksFinishWriting;
}

// Everything about a node but its index and where its code is.
std::string describe(const graph::Node& node, std::span<const uint32_t> levels)
{
    std::ostringstream out;
    out << node.declared.id.name << "|" << static_cast<int>(node.declared.mode);
    for (size_t d = 0; d < 3; ++d)
        out << "|" << node.declared.staticGrid[d] << "|" << node.declared.maxGrid[d] << "|"
            << node.declared.localSize[d];
    out << "|" << node.declared.declaresMaxGrid << node.declared.declaresPayload << node.declared.apiEntry
        << node.declared.usesFinishWriting << node.declared.writesInput << "|" << node.declared.grid.offsetBytes << "|"
        << node.declared.grid.components << "|" << node.declared.grid.componentBytes << "|"
        << node.declared.payloadBytes << "|" << node.declared.payloadAlignment << "|" << node.declared.maxInputPayloads
        << "|" << node.decided.packWidth << "|" << node.declared.maxRecursion << "|";
    if (node.declared.sharesInputWith)
        out << node.declared.sharesInputWith->name << "|"
            << relativeIndex(node.declared.sharesInputWith->index, node.declared);
    for (const graph::NodeOutput& output : node.declared.outputs)
        describe(out, node.declared, output);
    for (uint32_t level : levels)
        out << "@" << level;
    return out.str();
}

class Grouping {
public:
    explicit Grouping(const graph::Graph& graph) : m_graph(graph) {}

    NodeGraph run()
    {
        findLevels();
        createGroups();
        findPayloadEdges();
        findSharingEdges();
        findWarnings();
        return std::move(m_result);
    }

private:
    void findLevels()
    {
        m_levels.resize(m_graph.nodes.size());
        for (const graph::Slot& slot : m_graph.slots)
            if (slot.level > 0)
                m_levels[slot.node].push_back(slot.level);
        for (auto& levels : m_levels) {
            std::ranges::sort(levels);
            const auto rest = std::ranges::unique(levels);
            levels.erase(rest.begin(), rest.end());
        }
    }

    void createGroups()
    {
        std::map<std::string, uint32_t> known;
        for (uint32_t n = 0; n < m_graph.nodes.size(); ++n) {
            const auto next = static_cast<uint32_t>(m_result.groups.size());
            const auto [found, isNew] = known.try_emplace(describe(m_graph.nodes[n], m_levels[n]), next);
            if (isNew)
                m_result.groups.push_back({{}, m_levels[n]});
            m_result.groups[found->second].nodes.push_back(n);
            m_result.groupOfNode.push_back(found->second);
        }
        for (NodeGroup& group : m_result.groups)
            std::ranges::sort(group.nodes, {}, [&](uint32_t n) { return m_graph.nodes[n].declared.id.index; });
    }

    uint32_t groupOfQueue(uint32_t queue) const
    {
        return m_result.groupOfNode[m_graph.slots[m_graph.queues[queue].baseSlot].node];
    }

    // Many outputs have the same map, and maps may be long.
    const std::set<uint32_t>& groupsOfMap(uint32_t map)
    {
        const auto [found, isNew] = m_mapGroups.try_emplace(map);
        if (isNew) {
            const abi::OutputInfo& info = m_graph.maps[map];
            for (uint32_t queue : std::span(m_graph.nodeMap).subspan(info.mapFirst, info.mapCount))
                if (queue != abi::kNoQueue)
                    found->second.insert(groupOfQueue(queue));
        }
        return found->second;
    }

    void findPayloadEdges()
    {
        std::set<PayloadEdge> edges;
        for (const graph::Slot& slot : m_graph.slots) {
            for (uint32_t o = 0; o < slot.outputMaps.size(); ++o)
                for (uint32_t to : groupsOfMap(slot.outputMaps[o]))
                    edges.insert({m_result.groupOfNode[slot.node], o, to});
        }
        m_result.payloads.assign(edges.begin(), edges.end());
    }

    void findSharingEdges()
    {
        std::set<SharingEdge> edges;
        for (const graph::Queue& queue : m_graph.queues) {
            const uint32_t base = m_graph.slots[queue.baseSlot].node;
            for (uint32_t slot : queue.slots)
                if (m_graph.slots[slot].node != base)
                    edges.insert({m_result.groupOfNode[base], m_result.groupOfNode[m_graph.slots[slot].node]});
        }
        m_result.sharings.assign(edges.begin(), edges.end());
    }

    void findWarnings()
    {
        std::set<std::pair<uint32_t, uint32_t>> used;
        for (const PayloadEdge& edge : m_result.payloads)
            used.insert({edge.from, edge.output});
        for (uint32_t g = 0; g < m_result.groups.size(); ++g) {
            const NodeGroup& group = m_result.groups[g];
            const graph::Node& node = m_graph.nodes[group.nodes.front()];
            const std::string name = "node " + groupName(m_graph, group);
            if (node.declared.sharesInputWith && !m_graph.findNode(*node.declared.sharesInputWith)) {
                m_result.warnings.push_back(name + " never runs: there is no node " +
                                            printable(graph::nameOf(*node.declared.sharesInputWith)) +
                                            " whose input it could share");
            } else if (group.levels.empty()) {
                m_result.warnings.push_back(name + " never runs: it is no API entry and no node enqueues to it");
            }
            for (uint32_t o = 0; o < node.declared.outputs.size(); ++o) {
                if (!used.contains({g, o})) {
                    m_result.warnings.push_back(name + ", output " + std::to_string(o) + " to '" +
                                                printable(node.declared.outputs[o].targetName) +
                                                "' reaches no node: what is enqueued there is dropped");
                }
            }
        }
    }

    const graph::Graph& m_graph;
    NodeGraph m_result;
    std::vector<std::vector<uint32_t>> m_levels;  // per node
    std::map<uint32_t, std::set<uint32_t>> m_mapGroups;
};

}  // namespace

NodeGraph groupNodes(const graph::Graph& graph)
{
    return Grouping(graph).run();
}

std::string groupName(const graph::Graph& graph, const NodeGroup& group)
{
    std::string indices;
    for (size_t i = 0; i < group.nodes.size();) {
        const uint32_t first = graph.nodes[group.nodes[i]].declared.id.index;
        uint32_t last = first;
        for (i++; i < group.nodes.size() && graph.nodes[group.nodes[i]].declared.id.index == last + 1; ++i)
            ++last;
        indices += (indices.empty() ? "" : ", ") + std::to_string(first);
        if (last != first)
            indices += "-" + std::to_string(last);
    }
    return printable(graph.nodes[group.nodes.front()].declared.id.name) + "[" + indices + "]";
}

}  // namespace millrace::tools
