// SPDX-License-Identifier: Apache-2.0
#include "random_graph.h"

#include <array>

namespace millrace::graph {
namespace {

// All nodes of a name.
struct Family {
    std::string name;
    uint32_t size = 1;
    uint32_t payloadBytes = 0;
    LaunchMode mode = LaunchMode::Static;
};

bool chance(Random& random, uint32_t percent)
{
    return draw(random, 1, 100) <= percent;
}

Node randomNode(Random& random, const Family& family, uint32_t index)
{
    Node node;
    node.declared.id = {family.name, index};
    node.declared.mode = family.mode;
    node.declared.declaresPayload = family.payloadBytes > 0;
    node.declared.payloadBytes = family.payloadBytes;
    node.declared.payloadAlignment = chance(random, 20) ? 8 : 4;
    node.declared.localSize[0] = draw(random, 1, 8);
    node.declared.apiEntry = chance(random, 40);
    node.declared.usesFinishWriting = node.declared.mode != LaunchMode::Coalescing && chance(random, 20);
    switch (node.declared.mode) {
        case LaunchMode::Static:
            node.declared.staticGrid[0] = draw(random, 0, 4);
            node.declared.staticGrid[2] = draw(random, 1, 2);
            break;
        case LaunchMode::Dynamic:
            node.declared.declaresMaxGrid = chance(random, 90);
            node.declared.maxGrid[0] = draw(random, 1, 3);
            node.declared.maxGrid[1] = draw(random, 1, 2);
            node.declared.maxGrid[2] = 1;
            node.declared.grid.components = draw(random, 1, 3);
            break;
        case LaunchMode::Coalescing:
            if (chance(random, 50)) {
                node.decided.packWidth = 8;
                node.declared.localSize[0] = 1;
            } else {
                node.declared.maxInputPayloads = draw(random, 1, 10);
            }
            break;
    }
    return node;
}

NodeOutput randomOutput(Random& random, const Family& target, uint32_t index)
{
    NodeOutput output;
    output.targetName = target.name;
    output.payloadBytes = target.payloadBytes > 0 ? target.payloadBytes : target.mode == LaunchMode::Dynamic ? 12 : 0;
    output.payloadBytes += chance(random, 10) ? 4 : 0;
    output.budget = chance(random, 20) ? draw(random, 7, 60) : draw(random, 0, 6);
    output.budgetPool = index > 0 && chance(random, 25) ? draw(random, 0, index - 1) : index;
    output.allocationSites = draw(random, 0, 2);
    output.allocatesInLoop = chance(random, 25);
    output.perInvocation = chance(random, 50);
    if (chance(random, 50))
        output.arraySize = draw(random, 1, target.size);
    else
        output.sparse = chance(random, 50);
    if (target.size > 1 && chance(random, 20))
        output.baseIndex = draw(random, 0, target.size - 1);
    if (!output.arraySize && chance(random, 30))
        output.constantIndex = draw(random, 0, target.size - 1);
    if (output.arraySize && output.baseIndex + *output.arraySize > target.size)
        output.arraySize = target.size - output.baseIndex;
    return output;
}

// So many of its workgroups side by side.
void sendAlone(Node& node, uint32_t beside)
{
    node.decided.packWidth = beside;
    for (NodeOutput& output : node.declared.outputs)
        output.perInvocation = true;
}

// A pool is an output that counts for itself.
void settlePools(Node& node)
{
    for (NodeOutput& output : node.declared.outputs)
        while (node.declared.outputs[output.budgetPool].budgetPool != output.budgetPool)
            output.budgetPool = node.declared.outputs[output.budgetPool].budgetPool;
}

}  // namespace

uint32_t draw(Random& random, uint32_t low, uint32_t high)
{
    return std::uniform_int_distribution<uint32_t>(low, high)(random);
}

std::vector<Node> randomNodes(Random& random)
{
    std::vector<Family> families(draw(random, 1, 6));
    for (size_t f = 0; f < families.size(); ++f) {
        Family& family = families[f];
        family.name += 'f';
        family.name += std::to_string(f);
        family.size = chance(random, 5) ? 300 : chance(random, 50) ? 1 : draw(random, 2, 5);
        family.mode = static_cast<LaunchMode>(draw(random, 0, 2));
        family.payloadBytes = std::array{0u, 6u, 12u, 16u, 20u, 24u, 100u}[draw(random, 0, 6)];
        // Room for the grid, which has up to three components of four bytes.
        if (family.mode == LaunchMode::Dynamic && family.payloadBytes == 6)
            family.payloadBytes = 12;
    }
    std::vector<Node> nodes;
    for (size_t f = 0; f < families.size(); ++f) {
        for (uint32_t i = 0; i < families[f].size; ++i) {
            Node node = randomNode(random, families[f], i);
            // Only families behind, so there is no cycle.
            for (uint32_t count = draw(random, 0, 3); count > 0 && f + 1 < families.size(); --count) {
                const Family& target =
                    families[draw(random, static_cast<uint32_t>(f + 1), static_cast<uint32_t>(families.size() - 1))];
                node.declared.outputs.push_back(
                    randomOutput(random, target, static_cast<uint32_t>(node.declared.outputs.size())));
            }
            if (chance(random, 30)) {
                node.declared.maxRecursion = draw(random, 0, 4);
                node.declared.outputs.push_back(
                    randomOutput(random, families[f], static_cast<uint32_t>(node.declared.outputs.size())));
                node.declared.outputs.back().arraySize.reset();
                node.declared.outputs.back().sparse = false;
                node.declared.outputs.back().constantIndex = i;
            }
            if (node.declared.mode != LaunchMode::Coalescing && !node.declared.usesFinishWriting && chance(random, 30))
                sendAlone(node, draw(random, 2, 8));
            settlePools(node);
            nodes.push_back(std::move(node));
        }
        // Sharing nodes have names of their own and may do all that others do, a little less far back.
        if (chance(random, 30) && families[f].payloadBytes >= 12) {
            Family family = families[f];
            family.name[0] = 's';
            family.mode = static_cast<LaunchMode>(draw(random, 0, 2));
            Node node = randomNode(random, family, 0);
            node.declared.sharesInputWith = NodeId{families[f].name, draw(random, 0, families[f].size)};
            if (f + 1 < families.size())
                node.declared.outputs.push_back(randomOutput(random, families[f + 1], 0));
            nodes.push_back(std::move(node));
        }
    }
    return nodes;
}

std::vector<KnownInput> randomInputs(Random& random, const Graph& graph)
{
    std::vector<KnownInput> inputs;
    for (uint32_t count = draw(random, 0, 4); count > 0; --count) {
        KnownInput input;
        input.node = draw(random, 0, static_cast<uint32_t>(graph.nodes.size()));
        input.payloadCount = chance(random, 40) ? draw(random, 65, 4000) : draw(random, 0, 20);
        inputs.push_back(input);
    }
    return inputs;
}

}  // namespace millrace::graph
