// SPDX-License-Identifier: Apache-2.0
// The rules that a whole graph has to keep, checked when it is linked.
#include "oracle/graph.h"

namespace millrace::oracle {

void Graph::link()
{
    for (const auto& node : m_nodes) {
        node->checkLimits(m_options.limits);
        if (!m_targets.emplace(Key{node->name, node->index}, Target{node.get(), {}}).second)
            throw RuleError("VUID 09134: two nodes " + node->label());
    }
    checkFamilies();
    checkSharing();
    for (const auto& node : m_nodes)
        for (const auto& [type, output] : node->outputs)
            checkOutput(*node, output);
    checkPayloadCounts();
    for (const auto& [key, target] : m_targets) {
        m_targetNumbers[&target] = static_cast<uint32_t>(m_targetList.size());
        m_targetList.push_back(&target);
    }
}

// Nodes of one name and several indices are alike.
void Graph::checkFamilies() const
{
    const Node* first = nullptr;
    for (const auto& [key, target] : m_targets) {
        const Node* node = target.node;
        if (!first || first->name != node->name) {
            first = node;
            continue;
        }
        if (first->payloadBytes != node->payloadBytes)
            throw RuleError("VUID 09135: payload sizes of " + first->label() + " and " + node->label());
        if (first->isMesh != node->isMesh)
            throw RuleError("VUID 09136: execution models of " + first->label() + " and " + node->label());
        if (first->coalescing != node->coalescing)
            throw RuleError("VUID 09137: " + first->label() + " and " + node->label());
        if (first->staticGrid.has_value() != node->staticGrid.has_value())
            throw RuleError("VUID 09138: " + first->label() + " and " + node->label());
    }
}

void Graph::checkSharing()
{
    for (const auto& node : m_nodes) {
        if (!node->shares)
            continue;
        const auto base = m_targets.find(*node->shares);
        if (base == m_targets.end())
            throw RuleError(node->label() + " shares the input of a node that does not exist");
        if (base->second.node->shares)
            throw RuleError(node->label() + " shares the input of a node that shares itself");
        if (base->second.node->payloadBytes != node->payloadBytes)
            throw RuleError(node->label() + " and the node whose input it shares differ in payload size");
        if (node->recursion)
            throw RuleError(node->label() + " shares an input and recurses");
        base->second.sharers.push_back(node.get());
        if (base->second.sharers.size() + 1 > m_options.limits.sharedInputNodes)
            throw RuleError("too many nodes share the input of " + base->second.node->label());
    }
}

void Graph::checkOutput(const Node& node, const Output& output) const
{
    for (const auto& [key, target] : m_targets) {
        if (key.first != output.name)
            continue;
        if (target.node->payloadBytes != output.payloadBytes)
            throw RuleError("VUID 09139: " + node.label() + " sends " + std::to_string(output.payloadBytes) +
                            " bytes to " + target.node->label() + ", which takes " +
                            std::to_string(target.node->payloadBytes));
        if (output.trackFinish && !target.node->trackFinish)
            throw RuleError("TrackFinishWritingAMDX at " + node.label() + " but not at " + target.node->label());
    }
    if (output.sparse || !output.arraySize)
        return;
    for (uint32_t i = output.baseIndex; i < *output.arraySize; ++i)
        if (!m_targets.count({output.name, i}))
            throw RuleError("VUID 10184: " + node.label() + " sends to " + output.name + "[" + std::to_string(i) +
                            "], which does not exist");
}

// Each payload counts once for each node that receives it.
void Graph::checkPayloadCounts() const
{
    for (const auto& node : m_nodes) {
        std::map<uint32_t, uint64_t> pools;
        for (const auto& [type, output] : node->outputs) {
            size_t receivers = 1;
            for (const auto& [key, target] : m_targets)
                if (key.first == output.name)
                    receivers = std::max(receivers, target.sharers.size() + 1);
            pools[output.pool] = std::max<uint64_t>(pools[output.pool], output.budget * receivers);
        }
        uint64_t sum = 0;
        for (const auto& [pool, count] : pools)
            sum += count;
        if (sum > m_options.limits.payloadCount)
            throw RuleError(node->label() + ": budgets above maxExecutionGraphShaderPayloadCount");
    }
}

}  // namespace millrace::oracle
