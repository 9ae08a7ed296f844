// SPDX-License-Identifier: Apache-2.0
// What linking a graph takes grows as the graph does: counted in bytes that it allocates, not in time.
#include "build_nodes.h"
#include "counted_bytes.h"

namespace millrace::graph {

namespace {

size_t bytesOfLinking(const std::vector<Node>& nodes)
{
    return bytesOf([&] { EXPECT_TRUE(link(nodes)); });
}

// One node that recurses, whose outputs may all send to any index of an array that has one node, the last.
std::vector<Node> outputsToSparseArray(uint32_t recursion, uint32_t outputs, uint32_t lastIndex)
{
    Node node = makeEntry("r");
    node.declared.maxRecursion = recursion;
    for (uint32_t o = 0; o < outputs; ++o) {
        NodeOutput output = arrayTo("far", lastIndex + 1);
        output.sparse = true;
        output.budgetPool = o;
        node.declared.outputs.push_back(output);
    }
    return {node, makeNode("far", {}, lastIndex)};
}

}  // namespace

TEST(Growth, OutputsOfARecursiveNodeToOneArray_TheArrayIsThereOnce)
{
    const size_t least = bytesOfLinking(outputsToSparseArray(2, 2, 30000));
    EXPECT_LT(bytesOfLinking(outputsToSparseArray(2, 64, 30000)), 2 * least);
    EXPECT_LT(bytesOfLinking(outputsToSparseArray(16, 64, 30000)), 3 * least);
    EXPECT_LT(bytesOfLinking(outputsToSparseArray(16, 64, 60000)), 5 * least);
}

TEST(Growth, OneNodeOfAnArray_ReceiversAreThatNode)
{
    const Graph graph = linkValid(outputsToSparseArray(4, 3, 60000));
    ASSERT_EQ(graph.maps.size(), 1u);
    EXPECT_EQ(graph.receivers.front(), std::vector<uint32_t>{slotOf(graph, "far", 0, 60000).queue});
}

}  // namespace millrace::graph
