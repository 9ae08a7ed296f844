// SPDX-License-Identifier: Apache-2.0
#include "graph/fusion.h"

#include <algorithm>
#include <map>
#include <set>

namespace millrace::graph {

namespace {

// Of a consumer, that a workgroup of its producer may run one after the other.
constexpr uint64_t kMostGroupRuns = 8;

// That each have a copy of a node, so that all copies together are as many as nodes are, times this.
constexpr size_t kMostProducers = 16;

bool emits(const NodeDeclaration& node)
{
    return std::ranges::any_of(node.outputs, [](const NodeOutput& output) { return output.allocationSites > 0; });
}

bool allocatesAgain(const NodeOutput& output)
{
    return output.allocationSites > 1 || output.allocatesInLoop;
}

class Planner {
public:
    explicit Planner(const Graph& graph) : m_graph(graph)
    {
        for (const Slot& slot : graph.slots)
            addTargets(slot);
        for (const Queue& queue : graph.queues)
            if (queue.slots.size() > 1)
                m_sharing.insert(ownerOf(queue));
    }

    FusionPlan run() const
    {
        FusionPlan plan;
        for (const auto& [key, targets] : m_targets) {
            const auto& [node, output] = key;
            const bool byWorkgroup = std::ranges::any_of(targets, [&](const FusionTarget& target) {
                return m_graph.nodes[target.node].declared.mode == LaunchMode::Static;
            });
            std::string why = obstacle(node, output, byWorkgroup);
            for (size_t t = 0; why.empty() && t < targets.size(); ++t)
                why = byWorkgroup ? obstacleToWorkgroups(node, output, targets[t].node) : obstacleAt(targets[t].node);
            if (why.empty())
                plan.fusions.push_back({node, output, marked(targets), byWorkgroup});
            else
                plan.others.push_back({node, output, std::move(why)});
        }
        return plan;
    }

    std::vector<LastLevelFusion> lastLevels() const
    {
        std::set<uint32_t> done;
        for (const Node& node : m_graph.nodes)
            if (node.decided.levelGroup)
                done.insert(node.decided.levelGroup->of);
        std::vector<LastLevelFusion> plan;
        for (const auto& [key, targets] : m_targets) {
            const auto& [node, output] = key;
            if (!m_graph.nodes[node].decided.levelGroup && !done.contains(node) && reaches(targets, node))
                plan.push_back(
                    {node, output, obstacleToLastLevel(node, output), hasWorkgroups(m_graph.nodes[node].declared)});
        }
        return plan;
    }

private:
    using Key = std::pair<uint32_t, uint32_t>;  // node and output

    uint32_t ownerOf(const Queue& queue) const { return m_graph.ownerOf(m_graph.slots[queue.baseSlot]); }
    uint32_t ownerOf(uint32_t queue) const { return ownerOf(m_graph.queues[queue]); }

    void addTargets(const Slot& slot)
    {
        const Node& node = m_graph.nodes[slot.node];
        for (uint32_t o = 0; o < node.declared.outputs.size(); ++o) {
            if (node.declared.outputs[o].allocationSites == 0)
                continue;
            std::vector<FusionTarget>& targets = m_targets[{slot.node, o}];
            const bool isFirst = targets.empty();
            for (const uint32_t queue : m_graph.receiversOf(slot, o))
                m_producers[ownerOf(queue)].insert({slot.node, o});
            const std::span<const uint32_t> queues = m_graph.queuesOf(slot, o);
            for (uint32_t i = 0; isFirst && i < queues.size(); ++i)
                if (queues[i] != abi::kNoQueue)
                    targets.push_back({i, ownerOf(queues[i])});
        }
    }

    std::vector<FusionTarget> marked(std::vector<FusionTarget> targets) const
    {
        for (FusionTarget& target : targets)
            target.isShared = m_producers.at(target.node).size() > 1;
        return targets;
    }

    static bool reaches(const std::vector<FusionTarget>& targets, uint32_t node)
    {
        return std::ranges::find(targets, node, &FusionTarget::node) != targets.end();
    }

    std::string obstacleToLastLevel(uint32_t node, uint32_t output) const
    {
        const bool byWorkgroup = hasWorkgroups(m_graph.nodes[node].declared);
        if (std::string why = obstacle(node, output, byWorkgroup); !why.empty())
            return why;
        if (allocatesAgain(m_graph.nodes[node].declared.outputs[output]))
            return "payloads are allocated more than once";
        if (m_targets.at({node, output}).size() > 1)
            return "the output leads to other nodes as well";
        const auto isOtherWay = [&](const auto& other) {
            return other.first.first == node && other.first.second != output && reaches(other.second, node);
        };
        if (std::ranges::any_of(m_targets, isOtherWay))
            return name(node) + " sends to itself in several ways";
        return byWorkgroup ? obstacleToWorkgroups(node, output, node, true) : obstacleAt(node, true);
    }

    // Several invocations, for each payload as many.
    static bool hasWorkgroups(const NodeDeclaration& node)
    {
        return node.mode == LaunchMode::Static && invocationsOf(node) > 1;
    }

    std::string name(uint32_t node) const
    {
        const NodeId& id = m_graph.nodes[node].declared.id;
        return "'" + id.name + "'[" + std::to_string(id.index) + "]";
    }

    // What the producer does.
    std::string obstacle(uint32_t index, uint32_t o, bool byWorkgroup) const
    {
        const Node& node = m_graph.nodes[index];
        const NodeOutput& output = node.declared.outputs[o];
        const auto sharesBudget = [&](const NodeOutput& other) {
            return &other != &output && other.budgetPool == output.budgetPool;
        };
        if (node.decided.anyGraph)
            return "the producer is part of a pipeline library";
        if (!output.perInvocation && !byWorkgroup)
            return "payloads are allocated by workgroups";
        if (byWorkgroup && allocatesAgain(output))
            return "payloads are allocated more than once";
        if (output.tracksFinishWriting)
            return "payloads track finishing";
        if (std::ranges::any_of(node.declared.outputs, sharesBudget))
            return "the output shares its limit with another one";
        return m_targets.at({index, o}).empty() ? "there is nobody to receive payloads" : "";
    }

    // Why a workgroup of the producer cannot run those of the consumer.
    std::string obstacleToWorkgroups(uint32_t producer, uint32_t o, uint32_t index, bool isOwnLevel = false) const
    {
        const Node& above = m_graph.nodes[producer];
        const Node& node = m_graph.nodes[index];
        const uint64_t groups =
            uint64_t{node.declared.staticGrid[0]} * node.declared.staticGrid[1] * node.declared.staticGrid[2];
        if (node.declared.mode != LaunchMode::Static)
            return name(index) + " is no node of a static grid, as others that receive are";
        if (invocationsOf(node.declared) == 1)
            return name(index) + " is no coalescing node that works on each payload by itself";
        if (!std::ranges::equal(node.declared.localSize, above.declared.localSize))
            return name(index) + " has workgroups of another shape";
        if (groups * above.declared.outputs[o].budget > kMostGroupRuns)
            return "a workgroup may send to " + std::to_string(groups * above.declared.outputs[o].budget) +
                   " workgroups of " + name(index) + ", which are faster side by side";
        return obstacleToReceiving(index, isOwnLevel);
    }

    // What a consumer is. Where it is a level of its own producer, it may be recursive, have other producers, and send:
    // its last level does not.
    std::string obstacleAt(uint32_t index, bool isOwnLevel = false) const
    {
        if (!isPacked(m_graph.nodes[index]))
            return name(index) + " is no coalescing node that works on each payload by itself";
        return obstacleToReceiving(index, isOwnLevel);
    }

    std::string obstacleToReceiving(uint32_t index, bool isOwnLevel = false) const
    {
        const Node& node = m_graph.nodes[index];
        const size_t producers = m_producers.at(index).size();
        if (node.decided.anyGraph)
            return name(index) + " is part of a pipeline library";
        if (!isOwnLevel && node.declared.maxRecursion > 0)
            return name(index) + " is recursive";
        if (m_sharing.contains(index))
            return name(index) + " shares its input with other nodes";
        if (node.declared.usesFinishWriting || node.declared.writesInput)
            return name(index) + " writes to its payload";
        if (!isOwnLevel && emits(node.declared))
            return name(index) + " sends payloads itself";
        if (!isOwnLevel && producers > kMostProducers)
            return name(index) + " receives from " + std::to_string(producers) + " outputs, more than " +
                   std::to_string(kMostProducers) + " to have a copy each";
        return {};
    }

    const Graph& m_graph;
    std::map<Key, std::vector<FusionTarget>> m_targets;
    std::map<uint32_t, std::set<Key>> m_producers;  // by consumer
    std::set<uint32_t> m_sharing;                   // nodes whose input others share
};

}  // namespace

FusionPlan planFusion(const Graph& graph)
{
    return Planner(graph).run();
}

std::vector<LastLevelFusion> planLastLevels(const Graph& graph)
{
    return Planner(graph).lastLevels();
}

}  // namespace millrace::graph
