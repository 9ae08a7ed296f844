// SPDX-License-Identifier: Apache-2.0
#include "compiler/fuse_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/fuse.h"
#include "compiler/node_shader.h"
#include "compiler/prepare.h"
#include "graph/fusion.h"

namespace millrace::compiler {

namespace {

// Consumers run one after the other, and each brings its registers.
constexpr size_t kMaxConsumers = 8;

class GraphFuser {
public:
    GraphFuser(std::vector<FusableNode>& nodes, graph::Graph graph) : m_nodes(nodes), m_graph(std::move(graph)) {}

    Status run()
    {
        if (Status status = fuseConsumers(); !status)
            return status;
        return m_nodes.size() == m_graph.nodes.size() ? fuseLastLevels() : Status();
    }

    graph::Graph take() { return std::move(m_graph); }

    std::vector<FusionOutcome> outcomes() const
    {
        std::vector<FusionOutcome> out = m_fused;
        for (const auto& [key, why] : m_reasons)
            out.push_back({nameOf(key.first), key.second, false, false, why});
        for (const auto& [key, why] : m_failed)
            out.push_back({nameOf(key.first), key.second, false, false, why});
        return out;
    }

private:
    using Key = std::pair<uint32_t, std::string>;  // node and the name of the receivers

    Status fuseConsumers()
    {
        for (bool again = true; again;) {
            again = false;
            const graph::FusionPlan plan = graph::planFusion(m_graph);
            m_reasons.clear();
            for (const graph::UnfusedOutput& other : plan.others)
                note(other.node, other.output, other.why);
            std::map<uint32_t, std::vector<graph::OutputFusion>> byProducer;
            for (const graph::OutputFusion& fusion : plan.fusions) {
                if (!m_failed.contains({fusion.node, targetOf(fusion.node, fusion.output)}))
                    byProducer[fusion.node].push_back(fusion);
            }
            for (const auto& [node, fusions] : byProducer)
                again = fuseNode(node, fusions) || again;
            if (!again)
                break;
            if (Status status = relink(); !status)
                return status;
        }
        return {};
    }

    // Levels multiply, so the last one has most of the payloads.
    Status fuseLastLevels()
    {
        bool changed = false;
        for (const graph::LastLevelFusion& plan : graph::planLastLevels(m_graph)) {
            const Key key{plan.node, targetOf(plan.node, plan.output)};
            Result<FusableNode> last =
                plan.why.empty() ? fuseLastLevel(plan.node) : Result<FusableNode>(Diagnostic{"", "", plan.why});
            if (last) {
                m_nodes.push_back(std::move(*last));
                m_fused.push_back({nameOf(plan.node), key.second, true, true, ""});
                m_reasons.erase(key);
                changed = true;
            } else {
                m_reasons[key] += ", and its last level cannot run inside it: " + last.error().text();
            }
        }
        return changed ? relink() : Status();
    }

    // The level before the last with the last in it. The name and number of the node stay.
    Result<FusableNode> fuseLastLevel(uint32_t node)
    {
        FusableNode last = m_nodes[node];
        // Not the lowered node's, which may be that of another node with the same code.
        const graph::NodeId& id = m_graph.nodes[node].id;
        Options inner = last.options;
        inner.remainingRecursion = 0;
        last.options.remainingRecursion = 1;
        const Result<uint32_t> output = findOwnOutput(last, id.name);
        if (!output)
            return output.error();
        const FusedConsumer consumer{m_nodes[node].words, inner, {id.index}};
        if (const Status status = sendsNothing(consumer); !status)
            return status.error();
        Result<spirv::Words> words = fuse(last.words, last.options, {{{*output, {consumer}}}});
        if (!words)
            return words.error();
        last.options.specialization.clear();
        last.options.remainingRecursion.reset();
        Result<LoweredNode> lowered = lower(*words, last.options);
        if (!lowered)
            return lowered.error();
        if (lowered->node.payloadBytes != last.lowered.node.payloadBytes)
            return Diagnostic{"fuse", nameOf(node), "does not look at its payload before its last level"};
        last.lowered = std::move(*lowered);
        last.lowered.node.id = id;
        last.lowered.node.lastLevelOf = node;
        last.code = m_nodes.size() + m_codes.try_emplace(*words, m_codes.size()).first->second;
        last.words = std::move(*words);
        last.changed = true;
        return last;
    }

    static Status sendsNothing(const FusedConsumer& node)
    {
        const auto prepared = prepare(node.words, node.options);
        if (!prepared)
            return prepared.error();
        for (const graph::NodeOutput& output : (*prepared)->node.outputs)
            if (output.allocationSites > 0)
                return Diagnostic{"fuse", "'" + output.targetName + "'", "the last level may send payloads as well"};
        return {};
    }

    // The output of the last level but one that leads to the last.
    static Result<uint32_t> findOwnOutput(const FusableNode& node, const std::string& name)
    {
        const auto prepared = prepare(node.words, node.options);
        if (!prepared)
            return prepared.error();
        const std::vector<graph::NodeOutput>& outputs = (*prepared)->node.outputs;
        const auto isOwn = [&](const graph::NodeOutput& output) {
            return output.allocationSites > 0 && output.targetName == name;
        };
        if (std::ranges::count_if(outputs, isOwn) != 1)
            return Diagnostic{"fuse", name,
                              "before its last level it does not send to itself by one output alone"};
        return static_cast<uint32_t>(std::ranges::find_if(outputs, isOwn) - outputs.begin());
    }

    const std::string& targetOf(uint32_t node, uint32_t output) const
    {
        return m_graph.nodes[node].outputs[output].targetName;
    }

    std::string nameOf(uint32_t node) const
    {
        const graph::NodeId& id = m_graph.nodes[node].id;
        return "'" + id.name + "'[" + std::to_string(id.index) + "]";
    }

    void note(uint32_t node, uint32_t output, const std::string& why)
    {
        m_reasons[{node, targetOf(node, output)}] = why;
    }

    // One output at a time, so that one that cannot be fused does not stand in the way of others.
    bool fuseNode(uint32_t node, const std::vector<graph::OutputFusion>& fusions)
    {
        for (const graph::OutputFusion& fusion : fusions) {
            const std::string target = targetOf(node, fusion.output);
            const Result<LoweredNode> lowered = fuseOutput(node, fusion);
            if (lowered) {
                m_nodes[node].lowered = *lowered;
                m_nodes[node].changed = true;
                m_fused.push_back({nameOf(node), target, true, false, ""});
                return true;  // the outputs behind it have other numbers now
            }
            m_failed[{node, target}] = lowered.error().text();
        }
        return false;
    }

    Result<LoweredNode> fuseOutput(uint32_t node, const graph::OutputFusion& fusion)
    {
        FusableNode& producer = m_nodes[node];
        if (!producer.isPlain)  // which consumers would get, robustness for one
            return Diagnostic{"fuse", nameOf(node), "its stage has options of its own"};
        std::map<size_t, FusedConsumer> consumers;  // by code
        for (const graph::FusionTarget& target : fusion.targets) {
            const FusableNode& consumer = m_nodes[target.node];
            if (!consumer.isPlain)
                return Diagnostic{"fuse", nameOf(target.node), "its stage has options of its own"};
            FusedConsumer& fused = consumers.try_emplace(consumer.code, consumer.words, consumer.options).first->second;
            fused.indices.push_back(target.index);
        }
        if (consumers.size() > kMaxConsumers) {
            return Diagnostic{"fuse", "'" + targetOf(node, fusion.output) + "'",
                              "its nodes have " + std::to_string(consumers.size()) + " different codes, more than " +
                                  std::to_string(kMaxConsumers)};
        }
        FusedOutput output{.output = fusion.output};
        for (auto& [code, consumer] : consumers)
            output.consumers.push_back(std::move(consumer));
        Result<spirv::Words> words = fuse(producer.words, producer.options, {{output}});
        if (!words)
            return words.error();
        Options options = producer.options;
        options.specialization.clear();
        Result<LoweredNode> lowered = lower(*words, options);
        if (lowered) {
            producer.code = m_nodes.size() + m_codes.try_emplace(*words, m_codes.size()).first->second;
            producer.words = std::move(*words);
            producer.options = std::move(options);
        }
        return lowered;
    }

    Status relink()
    {
        std::vector<graph::Node> nodes = m_graph.nodes;
        nodes.resize(std::max(nodes.size(), m_nodes.size()));
        for (size_t n = 0; n < m_nodes.size(); ++n)
            nodes[n] = m_nodes[n].changed ? m_nodes[n].lowered.node : nodes[n];
        Result<graph::Graph> graph = graph::link(std::move(nodes));
        if (!graph)
            return graph.error();
        m_graph = std::move(*graph);
        return {};
    }

    std::vector<FusableNode>& m_nodes;
    graph::Graph m_graph;
    std::map<spirv::Words, size_t> m_codes;  // of fused producers
    std::vector<FusionOutcome> m_fused;
    std::map<Key, std::string> m_reasons;  // of the last plan
    std::map<Key, std::string> m_failed;   // why code could not be fused
};

}  // namespace

Result<graph::Graph> fuseGraph(std::vector<FusableNode>& nodes, graph::Graph graph,
                               std::vector<FusionOutcome>& outcomes)
{
    GraphFuser fuser(nodes, std::move(graph));
    const Status status = fuser.run();
    outcomes = fuser.outcomes();
    if (!status)
        return status.error();
    return fuser.take();
}

}  // namespace millrace::compiler
