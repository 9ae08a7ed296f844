// SPDX-License-Identifier: Apache-2.0
// Which nodes of a random graph are mesh nodes.
#include <algorithm>

#include "random/choose.h"

namespace millrace::random {

namespace {

// Mesh nodes receive each payload by itself, and send nothing.
bool canDraw(const GraphSpec& graph, const NodeSpec& node)
{
    const Layout& layout = graph.families[node.family].layout;
    const Member* grid = layout.find(Role::Grid);
    // Others are refused, docs/mesh-nodes.md.
    const bool isAligned = !grid || (grid->offset + grid->innerOffset) % (grid->bits / 8) == 0;
    return node.kind != Kind::Coalescing && node.recursion == 0 && node.statements.empty() && !layout.trackFinish &&
           isAligned;
}

void makeMesh(NodeSpec& node, const NodeSpec::Mesh& mesh)
{
    node.mesh = mesh;
    node.outputs.clear();
    node.writesInput = false;
    // lavapipe 25.0 leaves workgroup memory of mesh shaders as it is.
    node.zeroWorkgroupMemory = false;
}

NodeSpec::Mesh chooseMesh(Random& random, const NodeSpec& node)
{
    return {random.pick<uint32_t>({1, 3, node.invocations(), 64, 100}),
            random.pick<uint32_t>({1, node.invocations(), 70})};
}

}  // namespace

void chooseMeshNodes(Random& random, GraphSpec& graph)
{
    for (uint32_t f = 0; f < graph.families.size(); ++f) {
        const auto isOwn = [&](const NodeSpec& node) { return node.family == f && !node.sharesIndex; };
        // Nodes of one name are all mesh nodes, or none is.
        const bool canAll = std::ranges::all_of(
            graph.nodes, [&](const NodeSpec& node) { return !isOwn(node) || canDraw(graph, node); });
        const bool isMesh = canAll && random.chance(75);
        for (NodeSpec& node : graph.nodes) {
            if (node.family != f || (isOwn(node) ? !isMesh : !canDraw(graph, node) || !random.chance(50)))
                continue;
            makeMesh(node, node.twinOf ? *graph.nodes[*node.twinOf].mesh : chooseMesh(random, node));
        }
    }
}

}  // namespace millrace::random
