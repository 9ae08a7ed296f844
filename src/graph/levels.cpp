// SPDX-License-Identifier: Apache-2.0
#include "graph/levels.h"

#include <algorithm>

#include "graph/diagnose.h"

namespace millrace::graph {
namespace {

// One base node with all its recursion levels and sharing nodes. Other nodes send to its top only, so the graph of
// groups has the paths of the graph of slots, and is much smaller where nodes recurse.
struct Group {
    uint32_t topSlot = UINT32_MAX;
    bool recurses = false;
    uint32_t level = 0;  // of the top slot
    struct Edge {
        uint32_t target;   // node
        uint32_t emitter;  // node: the base or a sharing one
    };
    std::vector<Edge> edges;
    enum class Visit { Not, Open, Done } visit = Visit::Not;
};

// How many levels of a node's recursion are in one (NodeDecisions::levelGroup): the last ones, and those above. A level
// may be left over, the first.
struct Recursion {
    uint32_t last = 1;
    uint32_t others = 1;
};

class Levels {
public:
    explicit Levels(Graph& graph) : m_graph(graph), m_groups(graph.nodes.size()), m_recursions(graph.nodes.size())
    {
        for (const Node& node : graph.nodes)
            if (node.decided.levelGroup)
                (node.decided.levelGroup->isLast ? m_recursions[node.decided.levelGroup->of].last
                                                 : m_recursions[node.decided.levelGroup->of].others) =
                    node.decided.levelGroup->levels;
    }

    Status run()
    {
        collectEdges();
        for (uint32_t i = 0; i < m_groups.size(); ++i) {
            if (m_groups[i].topSlot == UINT32_MAX)
                continue;
            if (Status status = visit(i); !status)
                return status;
        }
        if (Status status = relax(); !status)
            return status;
        store();
        return {};
    }

private:
    void collectEdges();
    Status visit(uint32_t node);
    Status relax();
    void store();
    Diagnostic describeCycle(const std::vector<std::pair<uint32_t, size_t>>& path, Group::Edge last) const;

    // Levels of ours from the top one to that on which `remaining` of its recursion remain.
    uint32_t depthOf(uint32_t node, uint32_t remaining) const
    {
        const uint32_t below = m_graph.nodes[node].declared.maxRecursion - remaining;
        const uint32_t others = m_recursions[node].others;
        return (below + others - 1) / others;
    }
    // Levels of ours below the top one.
    uint32_t depthOf(uint32_t node) const
    {
        return m_groups[node].recurses ? depthOf(node, m_recursions[node].last - 1) : 0;
    }
    // Nothing is sent to levels that are in one with the level above.
    bool isInside(uint32_t node, uint32_t remaining) const
    {
        const Recursion& recursion = m_recursions[node];
        const bool isFirst =
            remaining + 1 >= recursion.last && (remaining + 1 - recursion.last) % recursion.others == 0;
        return remaining < m_graph.nodes[node].declared.maxRecursion && !isFirst;
    }
    uint32_t deepest(uint32_t node) const { return m_groups[node].level + depthOf(node); }

    Graph& m_graph;
    std::vector<Group> m_groups;          // per node; sharing nodes have none of their own
    std::vector<Recursion> m_recursions;  // per node
    std::vector<uint32_t> m_order;        // nodes, targets before emitters
};

void Levels::collectEdges()
{
    std::vector<uint32_t> seen(m_groups.size(), UINT32_MAX);
    std::vector<bool> isDone(m_graph.nodes.size(), false);  // all slots with one code send to the same others
    for (const Queue& queue : m_graph.queues) {
        const Slot& base = m_graph.slots[queue.baseSlot];
        const uint32_t owner = m_graph.ownerOf(base);
        if (isInside(owner, base.remaining))
            continue;
        Group& group = m_groups[owner];
        if (base.remaining == m_graph.nodes[owner].declared.maxRecursion)
            group.topSlot = queue.baseSlot;
        for (uint32_t s : queue.slots) {
            const Slot& slot = m_graph.slots[s];
            if (isDone[slot.node])
                continue;
            isDone[slot.node] = true;
            const std::vector<NodeOutput>& outputs = m_graph.nodes[slot.node].declared.outputs;
            for (size_t o = 0; o < outputs.size(); ++o) {
                // A type that is only queried leads nowhere.
                if (outputs[o].allocationSites == 0)
                    continue;
                for (uint32_t target : m_graph.receiversOf(slot, o)) {
                    const uint32_t node = m_graph.ownerOf(m_graph.slots[m_graph.queues[target].baseSlot]);
                    if (s == queue.baseSlot && node == owner) {
                        group.recurses = true;
                    } else if (seen[node] != owner) {
                        seen[node] = owner;
                        group.edges.push_back({node, m_graph.ownerOf(slot)});
                    }
                }
            }
        }
    }
}

// Depth first without recursion of ours: a chain may be as long as the application likes.
Status Levels::visit(uint32_t node)
{
    if (m_groups[node].visit != Group::Visit::Not)
        return {};
    std::vector<std::pair<uint32_t, size_t>> path{{node, 0}};  // node and its next edge
    m_groups[node].visit = Group::Visit::Open;
    while (!path.empty()) {
        auto& [current, next] = path.back();
        Group& group = m_groups[current];
        if (next == group.edges.size()) {
            group.visit = Group::Visit::Done;
            m_order.push_back(current);
            path.pop_back();
            continue;
        }
        const Group::Edge edge = group.edges[next++];
        if (m_groups[edge.target].visit == Group::Visit::Open)
            return describeCycle(path, edge);
        if (m_groups[edge.target].visit == Group::Visit::Not) {
            m_groups[edge.target].visit = Group::Visit::Open;
            path.emplace_back(edge.target, 0);
        }
    }
    return {};
}

Diagnostic Levels::describeCycle(const std::vector<std::pair<uint32_t, size_t>>& path, Group::Edge last) const
{
    auto name = [&](uint32_t base, uint32_t emitter) {
        std::string text = nameOf(m_graph.nodes[base].declared.id);
        if (emitter != base)
            text += " (shared by " + nameOf(m_graph.nodes[emitter].declared.id) + ")";
        return text;
    };
    std::string text = "only a node that enqueues to itself may recurse, but there is the cycle ";
    const auto begin = std::ranges::find(path, last.target, &std::pair<uint32_t, size_t>::first);
    for (auto it = begin; it != path.end(); ++it)
        text += name(it->first, m_groups[it->first].edges[it->second - 1].emitter) + " -> ";
    text += name(last.target, last.target);
    return diagnose(m_graph.nodes[last.target].declared, std::move(text));
}

Status Levels::relax()
{
    for (uint32_t i = 0; i < m_groups.size(); ++i)
        if (m_graph.apiQueues[i] != abi::kNoQueue)
            m_groups[i].level = 1;
    for (auto it = m_order.rbegin(); it != m_order.rend(); ++it) {
        if (m_groups[*it].level == 0)
            continue;
        const uint32_t depth = deepest(*it);
        if (depth > kMaxDepth) {
            return diagnose(m_graph.nodes[*it].declared,
                            "a path from the API to this node has " + std::to_string(depth) +
                                " nodes, recursion counted, more than maxExecutionGraphDepth (" +
                                std::to_string(kMaxDepth) + ")");
        }
        for (const Group::Edge& edge : m_groups[*it].edges)
            m_groups[edge.target].level = std::max(m_groups[edge.target].level, depth + 1);
    }
    return {};
}

void Levels::store()
{
    m_graph.levels.resize(1);
    for (Queue& queue : m_graph.queues) {
        const Slot& base = m_graph.slots[queue.baseSlot];
        const uint32_t owner = m_graph.ownerOf(base);
        const Group& group = m_groups[owner];
        const uint32_t depth = depthOf(owner, base.remaining);
        const bool isReached = group.level > 0 && depth <= depthOf(owner) && !isInside(owner, base.remaining);
        const uint32_t level = isReached ? group.level + depth : 0;
        for (uint32_t stream : queue.streams)
            m_graph.streams[stream].level = level;
        for (uint32_t slot : queue.slots)
            m_graph.slots[slot].level = level;
        if (level == 0)
            continue;
        if (m_graph.levels.size() <= level)
            m_graph.levels.resize(level + 1);
        std::vector<uint32_t>& slots = m_graph.levels[level].slots;
        slots.insert(slots.end(), queue.slots.begin(), queue.slots.end());
    }
}

}  // namespace

Status assignLevels(Graph& graph)
{
    return Levels(graph).run();
}

}  // namespace millrace::graph
