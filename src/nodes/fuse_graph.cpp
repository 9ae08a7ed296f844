// SPDX-License-Identifier: Apache-2.0
#include "nodes/fuse_graph.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/parallel.h"
#include "graph/fusion.h"
#include "nodes/fuse.h"
#include "nodes/fusion/choose_levels.h"
#include "nodes/fusion/depth_first.h"
#include "nodes/fusion/kept_declaration.h"
#include "nodes/fusion/levels.h"
#include "nodes/prepare.h"

namespace millrace::nodes {

namespace {

// Consumers run one after the other, and each brings its registers.
constexpr size_t kMaxConsumers = 8;
// Likewise of all outputs of a producer, which is made again with each.
constexpr size_t kMaxConsumersInside = 32;

class GraphFuser {
public:
    GraphFuser(std::vector<FusableNode>& nodes, graph::Graph graph, bool all, const FuseFunction& fuseOne)
        : m_nodes(nodes), m_graph(std::move(graph)), m_all(all), m_fuseOne(fuseOne)
    {
    }

    Status run()
    {
        if (Status status = fuseConsumers(); !status)
            return status;
        return m_nodes.size() == m_graph.nodes.size() ? fuseRecursions() : Status();
    }

    graph::Graph take() { return std::move(m_graph); }

    std::vector<FusionOutcome> outcomes() const
    {
        std::vector<FusionOutcome> out = m_fused;
        for (const auto& [key, why] : m_reasons)
            out.push_back({.node = nameOf(key.first), .output = key.second, .why = why});
        for (const auto& [key, why] : m_failed)
            out.push_back({.node = nameOf(key.first), .output = key.second, .why = why});
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
            for (const graph::OutputFusion& fusion : plan.fusions)
                if (!m_failed.contains({fusion.node, targetOf(fusion.node, fusion.output)}))
                    byProducer[fusion.node].push_back(fusion);
            again = fuseProducers(byProducer);
            if (!again)
                break;
            if (Status status = relink(); !status)
                return status;
        }
        return {};
    }

    // Levels multiply, so the last one has most of the payloads; each that goes takes a dispatch with it.
    Status fuseRecursions()
    {
        bool changed = false;
        for (const graph::LastLevelFusion& plan : graph::planLastLevels(m_graph)) {
            const Key key{plan.node, targetOf(plan.node, plan.output)};
            FusionOutcome outcome{.node = nameOf(plan.node), .output = key.second, .fused = true};
            const std::string why = plan.why.empty() ? obstacleOfBudgets(plan.node) : plan.why;
            const Status status = why.empty() ? fuseRecursion(plan, outcome) : Diagnostic{"", "", why};
            if (status) {
                m_fused.push_back(std::move(outcome));
                m_reasons.erase(key);
                changed = true;
            } else {
                m_reasons[key] += ", and its last level cannot run inside it: " + status.error().text();
            }
        }
        return changed ? relink() : Status();
    }

    // All levels in groups, or depth first, if possible; else the last inside the one before.
    Status fuseRecursion(const graph::LastLevelFusion& plan, FusionOutcome& outcome)
    {
        const uint32_t levels = m_graph.nodes[plan.node].declared.maxRecursion + 1;
        const Result<LevelChoice> choice = chooseLevels(recursiveNode(plan), m_all);
        if (!choice)
            return choice.error();
        for (const LevelSplit& split : choice->splits) {
            if (addGroups(plan, split)) {
                outcome.levelsInOne = split.last.levels;
                outcome.parts = std::max(split.last.parts(), split.others.parts());
                return {};
            }
        }
        outcome.why = choice->why;
        if (!choice->isEven && !plan.byWorkgroup) {
            const Status status = runDepthFirst(plan);
            if (status) {
                outcome.depthFirst = true;
                return {};
            }
            outcome.why = status.error().text();
        }
        outcome.lastLevel = true;
        // Those above know that no last level is among them, and have no code for it.
        return addGroups(plan, {{2, true}, {levels > 2 ? 1u : 0u, false, 2}});
    }

    Status runDepthFirst(const graph::LastLevelFusion& plan)
    {
        FusableNode& own = m_nodes[plan.node];
        Result<DepthFirstNode> made = makeDepthFirst(recursiveNode(plan), plan.output);
        if (!made)
            return made.error();
        Options options = own.options;
        options.request.specialization.clear();
        options.variant.depthFirst = made->sizes;
        Result<PreparedNode> prepared = prepare(made->words, options);
        if (!prepared)
            return prepared.error();
        graph::Node before = own.prepared.node;
        before.declared.maxRecursion =
            prepared->node.declared.maxRecursion;  // of which it has as many as it leaves payloads to others
        if (const Status kept = keepsDeclaration(before.declared, prepared->node.declared); !kept)
            return kept;
        own.prepared = std::move(*prepared);
        own.prepared.node.declared.id = m_graph.nodes[plan.node].declared.id;
        own.code = codeOf(made->words);
        own.words = std::make_shared<const spirv::Words>(std::move(made->words));
        own.options = std::move(options);
        own.changed = true;
        return {};
    }

    // What may allocate more than it declares stays with the scheduler, where that is counted.
    std::string obstacleOfBudgets(uint32_t node) const
    {
        const graph::NodeDeclaration& declared = m_graph.nodes[node].declared;
        const auto keeps = [&](const graph::NodeOutput& output) { return graph::keepsBudget(declared, output); };
        return !m_nodes[node].options.variant.checkBudgets || std::ranges::all_of(declared.outputs, keeps)
                   ? ""
                   : "its workgroups may allocate more payloads than it declares, which are counted";
    }

    RecursiveNode recursiveNode(const graph::LastLevelFusion& plan) const
    {
        // Not the prepared node's id, which may be that of another node with the same code.
        const graph::Node& node = m_graph.nodes[plan.node];
        const FusableNode& own = m_nodes[plan.node];
        return {*own.words,       own.options,        node.declared.id, node.declared.maxRecursion,
                plan.byWorkgroup, own.prepared.shader};
    }

    Status addGroups(const graph::LastLevelFusion& plan, const LevelSplit& split)
    {
        std::vector<FusableNode> added;
        for (const LevelsInOne& levels : {split.last, split.others}) {
            if (levels.levels == 0)
                continue;
            Result<FusableNode> group = makeGroup(plan, levels);
            if (!group)
                return group.error();
            added.push_back(std::move(*group));
        }
        for (FusableNode& group : added) {
            group.code = codeOf(*group.words);
            m_nodes.push_back(std::move(group));
        }
        return {};
    }

    // The name and number of the node stay.
    Result<FusableNode> makeGroup(const graph::LastLevelFusion& plan, const LevelsInOne& levels) const
    {
        const uint32_t node = plan.node;
        Result<spirv::Words> words = fuseLevels(recursiveNode(plan), levels);
        if (!words)
            return words.error();
        FusableNode group = m_nodes[node];
        group.options.request.specialization.clear();
        group.options.variant.parts = levels.parts();
        Result<PreparedNode> prepared = prepare(*words, group.options);
        if (!prepared)
            return prepared.error();
        if (prepared->node.decided.parts != levels.parts())
            return Diagnostic{"fuse", nameOf(node), "its invocations do not run side by side"};
        if (const Status kept = keepsDeclaration(group.prepared.node.declared, prepared->node.declared); !kept)
            return kept.error();
        if (graph::declaredBytes(prepared->node.declared) > graph::kMaxPayloadDeclarationBytes)
            return Diagnostic{"fuse", nameOf(node), "declares too many payloads for several levels"};
        group.prepared = std::move(*prepared);
        group.prepared.node.declared.id = m_graph.nodes[node].declared.id;
        group.prepared.node.decided.levelGroup = {node, levels.levels, levels.isLast};
        group.words = std::make_shared<const spirv::Words>(std::move(*words));
        group.changed = true;
        return group;
    }

    const std::string& targetOf(uint32_t node, uint32_t output) const
    {
        return m_graph.nodes[node].declared.outputs[output].targetName;
    }

    std::string nameOf(uint32_t node) const
    {
        const graph::NodeId& id = m_graph.nodes[node].declared.id;
        return "'" + id.name + "'[" + std::to_string(id.index) + "]";
    }

    void note(uint32_t node, uint32_t output, const std::string& why)
    {
        m_reasons[{node, targetOf(node, output)}] = why;
    }

    // A producer with the consumers of one output in it; or why none of its outputs can be fused.
    struct Attempt {
        const graph::OutputFusion* done = nullptr;
        FusedCode code;
        size_t inside = 0;                                        // codes of consumers, also of outputs before
        std::vector<std::pair<std::string, std::string>> failed;  // target and why
    };

    // What producers of the same code become depends on this alone: their outputs with the codes that receive.
    using Fusions = std::vector<graph::OutputFusion>;
    using Shape = std::vector<std::vector<size_t>>;

    Shape shapeOf(uint32_t node, const Fusions& fusions) const
    {
        Shape shape = {{m_nodes[node].code, m_nodes[node].isPlain}};
        for (const graph::OutputFusion& fusion : fusions) {
            shape.push_back({fusion.output, fusion.byWorkgroup});
            for (const graph::FusionTarget& target : fusion.targets) {
                const FusableNode& consumer = m_nodes[target.node];
                shape.back().insert(shape.back().end(),
                                    {target.index, consumer.code, consumer.isPlain, target.isShared});
            }
        }
        return shape;
    }

    // Consumers send nothing, so that none of them is a producer as well.
    bool fuseProducers(const std::map<uint32_t, Fusions>& byProducer)
    {
        std::map<Shape, std::vector<uint32_t>> byShape;
        for (const auto& [node, fusions] : byProducer)
            byShape[shapeOf(node, fusions)].push_back(node);
        std::vector<const std::vector<uint32_t>*> alike;
        for (const auto& [shape, nodes] : byShape)
            alike.push_back(&nodes);
        std::vector<Attempt> attempts(alike.size());
        inParallel(alike.size(), [&](size_t i) {
            const uint32_t node = alike[i]->front();
            attempts[i] = tryNode(node, byProducer.at(node));
        });
        bool fused = false;
        for (size_t i = 0; i < alike.size(); ++i)
            for (const uint32_t node : *alike[i])
                fused = apply(attempts[i], node) || fused;
        return fused;
    }

    // One output at a time, so that one that cannot be fused does not stand in the way of others.
    Attempt tryNode(uint32_t node, const Fusions& fusions) const
    {
        Attempt attempt;
        for (const graph::OutputFusion& fusion : fusions) {
            const Status status = fuseOutput(node, fusion, attempt);
            if (status) {
                attempt.done = &fusion;
                return attempt;  // the outputs behind it have other numbers now
            }
            attempt.failed.emplace_back(targetOf(node, fusion.output), status.error().text());
        }
        return attempt;
    }

    bool apply(const Attempt& attempt, uint32_t node)
    {
        for (const auto& [target, why] : attempt.failed)
            m_failed[{node, target}] = why;
        if (!attempt.done)
            return false;
        m_fused.push_back({.node = nameOf(node),
                           .output = targetOf(node, attempt.done->output),
                           .fused = true,
                           .byWorkgroup = attempt.done->byWorkgroup});
        m_inside[node] = attempt.inside;
        FusableNode& producer = m_nodes[node];
        producer.code = codeOf(*attempt.code.words);
        producer.words = attempt.code.words;
        producer.options.request.specialization.clear();
        for (const graph::FusionTarget& target : attempt.done->targets)
            producer.options.target.longIntegers |= m_nodes[target.node].options.target.longIntegers;
        producer.prepared = attempt.code.prepared;
        producer.prepared.node.declared.id = m_graph.nodes[node].declared.id;
        producer.changed = true;
        return true;
    }

    Status fuseOutput(uint32_t node, const graph::OutputFusion& fusion, Attempt& attempt) const
    {
        const FusableNode& producer = m_nodes[node];
        if (!producer.isPlain)  // which consumers would get, robustness for one
            return Diagnostic{"fuse", nameOf(node), "its stage has options of its own"};
        if (const std::string why = obstacleOfBudgets(node); !why.empty())
            return Diagnostic{"fuse", nameOf(node), why};
        std::map<size_t, FusedConsumer> consumers;  // by code
        for (const graph::FusionTarget& target : fusion.targets) {
            const FusableNode& consumer = m_nodes[target.node];
            if (!consumer.isPlain)
                return Diagnostic{"fuse", nameOf(target.node), "its stage has options of its own"};
            FusedConsumer& fused = consumers[consumer.code];
            fused.words = *consumer.words;
            fused.options = consumer.options;
            fused.prepared = consumer.prepared.shader;
            fused.indices.push_back(target.index);
            fused.isShared |= target.isShared;
        }
        if (consumers.size() > kMaxConsumers) {
            return Diagnostic{"fuse", "'" + targetOf(node, fusion.output) + "'",
                              "its nodes have " + std::to_string(consumers.size()) + " different codes, more than " +
                                  std::to_string(kMaxConsumers)};
        }
        const auto inside = m_inside.find(node);
        const size_t all = consumers.size() + (inside == m_inside.end() ? 0 : inside->second);
        if (all > kMaxConsumersInside) {
            return Diagnostic{"fuse", nameOf(node),
                              std::to_string(all) + " other codes would run inside it, more than " +
                                  std::to_string(kMaxConsumersInside)};
        }
        FusedOutput output{.output = fusion.output, .consumers = {}, .byWorkgroup = fusion.byWorkgroup};
        for (auto& [code, consumer] : consumers)
            output.consumers.push_back(std::move(consumer));
        Result<FusedCode> code = m_fuseOne(producer, output);
        if (!code)
            return code.error();
        attempt.code = std::move(*code);
        attempt.inside = all;
        return {};
    }

    Status relink()
    {
        std::vector<graph::Node> nodes = m_graph.nodes;
        nodes.resize(std::max(nodes.size(), m_nodes.size()));
        for (size_t n = 0; n < m_nodes.size(); ++n)
            nodes[n] = m_nodes[n].changed ? m_nodes[n].prepared.node : nodes[n];
        Result<graph::Graph> graph = graph::link(std::move(nodes));
        if (!graph)
            return graph.error();
        m_graph = std::move(*graph);
        return {};
    }

    size_t codeOf(const spirv::Words& words)
    {
        return m_firstCode + m_codes.try_emplace(words, m_codes.size()).first->second;
    }

    std::vector<FusableNode>& m_nodes;
    const size_t m_firstCode = m_nodes.size();  // behind those of the nodes given
    graph::Graph m_graph;
    const bool m_all;
    const FuseFunction& m_fuseOne;
    std::map<spirv::Words, size_t> m_codes;  // of fused producers
    std::map<uint32_t, size_t> m_inside;     // codes of consumers that run inside a node
    std::vector<FusionOutcome> m_fused;
    std::map<Key, std::string> m_reasons;  // of the last plan
    std::map<Key, std::string> m_failed;   // why code could not be fused
};

}  // namespace

Result<FusedCode> fuseCode(const FusableNode& producer, const FusedOutput& output)
{
    Result<spirv::Module> module = fuse(*producer.prepared.shader, {{output}});
    if (!module)
        return module.error();
    auto words = std::make_shared<const spirv::Words>(spirv::write(*module));
    Options options = producer.options;
    options.request.specialization.clear();
    auto shader = prepareShader(std::move(*module), options);
    if (!shader)
        return shader.error();
    if (const Status kept = keepsDeclaration(producer.prepared.node.declared, (*shader)->node.declared); !kept)
        return kept.error();
    return FusedCode{std::move(words), {(*shader)->node, std::move(*shader)}};
}

Result<graph::Graph> fuseGraph(std::vector<FusableNode>& nodes, graph::Graph graph, bool all,
                               std::vector<FusionOutcome>& outcomes, const FuseFunction& fuseOne)
{
    GraphFuser fuser(nodes, std::move(graph), all, fuseOne);
    const Status status = fuser.run();
    outcomes = fuser.outcomes();
    if (!status)
        return status.error();
    return fuser.take();
}

}  // namespace millrace::nodes
