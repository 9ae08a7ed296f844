// SPDX-License-Identifier: Apache-2.0
#include "compiler/fuse_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/fuse.h"
#include "graph/fusion.h"

namespace millrace::compiler {

namespace {

// Consumers run one after the other, and each brings its registers.
constexpr size_t kMaxConsumers = 8;

class GraphFuser {
public:
    GraphFuser(std::span<FusableNode> nodes, graph::Graph graph) : m_nodes(nodes), m_graph(std::move(graph)) {}

    Status run()
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

    graph::Graph take() { return std::move(m_graph); }

    std::vector<FusionOutcome> outcomes() const
    {
        std::vector<FusionOutcome> out = m_fused;
        for (const auto& [key, why] : m_reasons)
            out.push_back({nameOf(key.first), key.second, false, why});
        for (const auto& [key, why] : m_failed)
            out.push_back({nameOf(key.first), key.second, false, why});
        return out;
    }

private:
    using Key = std::pair<uint32_t, std::string>;  // node and the name of the receivers

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
                m_fused.push_back({nameOf(node), target, true, ""});
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
        for (size_t n = 0; n < m_nodes.size(); ++n)
            nodes[n] = m_nodes[n].changed ? m_nodes[n].lowered.node : nodes[n];
        Result<graph::Graph> graph = graph::link(std::move(nodes));
        if (!graph)
            return graph.error();
        m_graph = std::move(*graph);
        return {};
    }

    std::span<FusableNode> m_nodes;
    graph::Graph m_graph;
    std::map<spirv::Words, size_t> m_codes;  // of fused producers
    std::vector<FusionOutcome> m_fused;
    std::map<Key, std::string> m_reasons;  // of the last plan
    std::map<Key, std::string> m_failed;   // why code could not be fused
};

}  // namespace

Result<graph::Graph> fuseGraph(std::span<FusableNode> nodes, graph::Graph graph, std::vector<FusionOutcome>& outcomes)
{
    GraphFuser fuser(nodes, std::move(graph));
    const Status status = fuser.run();
    outcomes = fuser.outcomes();
    if (!status)
        return status.error();
    return fuser.take();
}

}  // namespace millrace::compiler
