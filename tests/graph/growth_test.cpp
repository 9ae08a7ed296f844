// SPDX-License-Identifier: Apache-2.0
// What linking a graph takes grows as the graph does: counted in bytes that it allocates, not in time.
#include <cstdlib>
#include <new>

#include "build_nodes.h"

namespace {

size_t g_allocatedBytes = 0;  // by everybody, ever

}  // namespace

[[gnu::noinline]] void* operator new(size_t bytes)
{
    g_allocatedBytes += bytes;
    if (void* memory = std::malloc(bytes > 0 ? bytes : 1))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept
{
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept
{
    std::free(memory);
}

namespace millrace::graph {

namespace {

size_t bytesOfLinking(const std::vector<Node>& nodes)
{
    const size_t before = g_allocatedBytes;
    EXPECT_TRUE(link(nodes));
    return g_allocatedBytes - before;
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
