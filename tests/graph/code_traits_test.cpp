// SPDX-License-Identifier: Apache-2.0
#include "graph/code_traits.h"

#include "build_nodes.h"

namespace millrace::graph {
namespace {

Graph linked(std::vector<Node> nodes)
{
    Result<Graph> graph = link(std::move(nodes));
    EXPECT_TRUE(graph) << graph.error().text();
    return graph ? std::move(*graph) : Graph();
}

TEST(CodeTraits, NothingIsReliedOnWithoutAGraph)
{
    const CodeTraits traits = codeTraits(makeEntry("a", {arrayTo("b", 4)}).declared);
    EXPECT_EQ(traits, CodeTraits());
    EXPECT_EQ(codeTraits(makeEntry("a").declared).emits, abi::kEmitsNothing);
    NodeOutput output = arrayTo("b", 4);
    output.constantIndex = 2;
    EXPECT_EQ(codeTraits(makeEntry("a", {output}).declared).emits, abi::kEmitsToOne);
    // There may be more nodes than are declared.
    EXPECT_EQ(codeTraits(makeEntry("a", {arrayTo("b", 1)}).declared), CodeTraits());
}

TEST(CodeTraits, OneQueueForSeveralOutputs)
{
    const Graph graph = linked({makeEntry("a", {outputTo("c"), outputTo("c")}),
                                makeEntry("b", {outputTo("c"), outputTo("d")}), makeNode("c"), makeNode("d")});
    EXPECT_EQ(graph.code[0].emits, abi::kEmitsToOne);
    EXPECT_EQ(graph.code[1].emits, abi::kEmitsToFew);
    EXPECT_EQ(graph.code[2].emits, abi::kEmitsNothing);
    EXPECT_EQ(graph.code[0].outputStride, graph.queues[graph.slots[2].queue].stride);
    EXPECT_EQ(graph.code[0].inputStride, graph.queues[graph.slots[0].queue].stride);
    EXPECT_FALSE(graph.code[0].sendsGrids());
    EXPECT_FALSE(graph.code[0].sendsTracked);
}

TEST(CodeTraits, ReceiversKnowWhatIsSentTogether)
{
    Node a = makeEntry("a", {outputTo("c"), outputTo("d")}), b = makeEntry("b", {outputTo("c")});
    a.declared.outputs[0].together = 3;
    b.declared.outputs[0].together = 4;
    const Graph graph = linked({a, b, makeNode("c"), makeNode("d")});
    EXPECT_EQ(graph.code[0].inputTogether, 0u);
    EXPECT_EQ(graph.code[2].inputTogether, 4u);
    EXPECT_EQ(graph.code[3].inputTogether, 0u);
}

// A dispatch's first level may be one workgroup of theirs.
TEST(CodeTraits, WhoOnlyTheApiSendsToMayBegin)
{
    Node recursive = makeNode("b");
    recursive.declared.apiEntry = true;
    recursive.declared.maxRecursion = 2;
    recursive.declared.outputs = {outputTo("b")};
    Node vulkan = makeEntry("d", {outputTo("c")});
    vulkan.declared.vulkanMemoryModel = true;
    const Graph graph = linked({makeEntry("a", {outputTo("c")}), recursive, makeNode("c"), vulkan});
    EXPECT_TRUE(graph.code[0].begins);
    EXPECT_TRUE(graph.code[1].begins);
    EXPECT_FALSE(graph.code[2].begins);
    EXPECT_FALSE(graph.code[3].begins);
}

TEST(CodeTraits, OutputsThatLeadNowhere)
{
    const Graph graph = linked({makeEntry("a", {outputTo("missing")})});
    EXPECT_EQ(graph.code[0].emits, abi::kEmitsNothing);
    EXPECT_EQ(graph.code[0].outputStride, 0u);
}

TEST(CodeTraits, ReceiversThatTrackOrReadGrids)
{
    Node tracking = makeNode("c");
    tracking.declared.usesFinishWriting = true;
    const Graph graph =
        linked({makeEntry("a", {outputTo("c")}), makeEntry("b", {outputTo("d")}), tracking, makeDynamic("d")});
    EXPECT_TRUE(graph.code[0].sendsTracked);
    EXPECT_FALSE(graph.code[0].sendsGrids());
    EXPECT_FALSE(graph.code[1].sendsTracked);
    EXPECT_TRUE(graph.code[1].sendsGrids());
    EXPECT_FALSE(graph.code[1].plainQueues);
}

TEST(CodeTraits, GridsAreKnownForEachOutput)
{
    const Graph graph =
        linked({makeEntry("a", {outputTo("b"), outputTo("c"), outputTo("missing")}), makeNode("b"), makeDynamic("c")});
    EXPECT_EQ(graph.code[0].gridOutputs, (std::vector<bool>{false, true, false}));
    EXPECT_EQ(graph.code[1].gridOutputs, std::vector<bool>{});
    EXPECT_FALSE(graph.code[1].sendsGrids());
    EXPECT_FALSE(codeTraits(makeEntry("a").declared).gridOutputs);
}

TEST(CodeTraits, AllocationsThatAlwaysHaveAReceiver)
{
    NodeOutput named = outputTo("b"), beyond = arrayTo("b", 4);
    named.constantIndex = 0;
    beyond.sparse = true;
    const Graph graph = linked({makeEntry("sure", {named}), makeEntry("maybe", {beyond}),
                                makeEntry("nowhere", {outputTo("missing")}), makeNode("b")});
    EXPECT_TRUE(graph.code[0].alwaysReceived);
    EXPECT_FALSE(graph.code[1].alwaysReceived);
    EXPECT_FALSE(graph.code[2].alwaysReceived);
    EXPECT_FALSE(graph.code[3].alwaysReceived) << "it sends nothing";
}

TEST(CodeTraits, ArraysWhoseQueuesFollowEachOther)
{
    std::vector<Node> nodes = {makeEntry("a", {arrayTo("b", 3)})};
    for (uint32_t i = 0; i < 3; ++i)
        nodes.push_back(makeNode("b", {}, i));
    EXPECT_TRUE(linked(nodes).code[0].plainQueues);
    std::swap(nodes[1], nodes[2]);
    EXPECT_FALSE(linked(nodes).code[0].plainQueues);
}

TEST(CodeTraits, PayloadsOfDifferentSizes)
{
    Node large = makeNode("c");
    large.declared.payloadBytes = 32;
    const Graph graph = linked({makeEntry("a", {outputTo("b"), outputTo("c", 1, 32)}), makeNode("b"), large});
    EXPECT_EQ(graph.code[0].outputStride, 0u);
}

// A node that recurses sends to itself at all levels but the last.
TEST(CodeTraits, AllRecursionLevels)
{
    Node node = makeEntry("a", {outputTo("a")});
    node.declared.maxRecursion = 3;
    EXPECT_EQ(linked({node}).code[0].emits, abi::kEmitsToOne);
    node.declared.outputs.push_back(outputTo("b"));
    node.declared.outputs[1].budgetPool = 1;
    EXPECT_EQ(linked({node, makeNode("b")}).code[0].emits, abi::kEmitsToFew);
}

TEST(CodeTraits, CodeOfALibraryReliesOnNoGraph)
{
    Node node = makeEntry("a", {outputTo("b"), outputTo("b")});
    node.decided.anyGraph = true;
    EXPECT_EQ(linked({node, makeNode("b")}).code[0], codeTraits(node.declared));
}

}  // namespace
}  // namespace millrace::graph
