// SPDX-License-Identifier: Apache-2.0
// Section 4: what a node is called and which node a payload goes to.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class NodeIdentity : public GraphTest {};

// Adds its ShaderIndexAMDX to out[0] and counts itself in out[1].
Stage indexReporter(std::optional<uint32_t> mode)
{
    return writeNode("node", [&](NodeWriter& node) {
        node.staticGrid(1);
        if (mode)
            node.mode("ShaderIndexAMDX " + node.c(*mode));
        node.add(0, node.builtIn("ShaderIndexAMDX"));
        node.add(1, node.c(1));
    });
}

TEST_F(NodeIdentity, Name_OfTheNodeInfo)
{
    Stage stage = adder("main", 0);
    stage.name = "renamed";
    EXPECT_EQ(run({stage}, {launchWords("renamed", 0, 1, {5})})[0], 5u);
}

TEST_F(NodeIdentity, Name_OfTheEntryPointOtherwise)
{
    for (bool withInfo : {true, false}) {
        Stage stage = adder("main", 0);
        stage.withNodeInfo = withInfo;
        EXPECT_EQ(run({stage}, {launchWords("main", 0, 1, {5})})[0], 5u);
    }
}

TEST_F(NodeIdentity, Index_OfTheNodeInfoWinsOverTheMode)
{
    Stage stage = indexReporter(3);
    stage.index = 5;
    EXPECT_EQ(run({stage}, {launchWords("node", 5, 1, {})})[0], 5u);
}

TEST_F(NodeIdentity, Index_OfTheModeOtherwise)
{
    for (bool withInfo : {true, false}) {
        Stage stage = indexReporter(3);
        stage.withNodeInfo = withInfo;
        EXPECT_EQ(run({stage}, {launchWords("node", 3, 1, {})})[0], 3u);
    }
}

TEST_F(NodeIdentity, Index_ZeroWithoutEither)
{
    const auto result = run({indexReporter(std::nullopt)}, {launchWords("node", 0, 1, {})});
    EXPECT_EQ(result[0], 0u);
    EXPECT_EQ(result[1], 1u);
}

// By entry points, this would be a node that calls itself.
TEST_F(NodeIdentity, Linkage_IsByTheApisName)
{
    Stage entry = senderOf("main", "main", 3);
    entry.name = "entry";
    Stage receiver = adder("entry", 0);
    receiver.name = "main";
    EXPECT_EQ(run({entry, receiver}, {launchWords("entry", 0, 1, {})})[0], 6u);
}

TEST_F(NodeIdentity, NodeIndexOfTheApi_IsNotTheShaderIndex)
{
    Stage seven = indexReporter(7);
    Stage two = indexReporter(2);
    const auto result = run({seven, two}, {launchWords("node", 7, 1, {}), launchWords("node", 2, 1, {})});
    EXPECT_EQ(result[0], 9u);
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph({seven, two});
    EXPECT_NE(runner.nodeIndex(graph, "node", 7), runner.nodeIndex(graph, "node", 2));
}

// Sends the value 1 to node index 0, 2 to index 1.
Stage arraySender(const OutputOptions& options)
{
    return writeNode("from", [&](NodeWriter& node) {
        node.staticGrid(1);
        const PayloadArrayType type = node.output("to", {node.word()}, options);
        node.send(type, node.c(1), node.c(0));
        node.send(type, node.c(2), node.c(1));
    });
}

TEST_F(NodeIdentity, BaseIndex_IsAddedToTheNodeIndex)
{
    OutputOptions options;
    options.budget = 2;
    options.baseIndex = 2;
    const auto result = run({arraySender(options), adder("to", 0, 1), adder("to", 2, 2), adder("to", 4, 3)},
                            {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 6), (std::vector<uint32_t>{0, 0, 1, 1, 2, 1}));
}

TEST_F(NodeIdentity, ArraySize_IncludesTheBaseIndex)
{
    OutputOptions options;
    options.budget = 2;
    options.baseIndex = 2;
    options.arraySize = 4;
    const auto result =
        run({arraySender(options), adder("to", 0, 2), adder("to", 2, 3)}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 4), (std::vector<uint32_t>{1, 1, 2, 1}));
    expectRefused({arraySender(options), adder("to", 0, 2)}, "10184");
}

// Receivers of 15 materials or so, of which their sender declares a few.
TEST_F(NodeIdentity, ArraySize_NodesBeyondItReceiveAllTheSame)
{
    constexpr uint32_t kNodes = 15, kLanes = 32;
    std::vector<uint32_t> wanted(2 * kNodes);
    for (uint32_t lane = 0; lane < 2 * kLanes; ++lane) {
        wanted[lane % kLanes % kNodes * 2] += lane;
        wanted[lane % kLanes % kNodes * 2 + 1] += 1;
    }
    for (const bool runsInside : {false, true}) {
        for (const uint32_t declared : {1u, 3u}) {
            SCOPED_TRACE(std::to_string(declared) + (runsInside ? ", inside" : ""));
            std::vector<Stage> stages = {writeNode("from",
                                                   [&](NodeWriter& node) {
                                                       node.staticGrid(2);
                                                       OutputOptions options;
                                                       options.budget = kLanes;
                                                       options.arraySize = declared;
                                                       const auto type = node.output("to", {node.word()}, options);
                                                       const Id before =
                                                           node.times(node.builtIn("WorkgroupId", 0), node.c(kLanes));
                                                       const Id index =
                                                           node.body().u("OpUMod", node.lane(), node.c(kNodes));
                                                       node.send(type, node.plus(before, node.lane()), index, false);
                                                   },
                                                   {kLanes, 1, 1})};
            for (uint32_t i = 0; i < kNodes; ++i) {
                stages.push_back(writeNode("to", [&](NodeWriter& node) {
                    runsInside ? node.coalescing() : node.staticGrid(1);
                    const Id input = node.input();
                    const Id word = node.times(node.builtIn("ShaderIndexAMDX"), node.c(2));
                    node.add(word, node.readPayload(input, node.c(0), 0));
                    node.add(node.plus(word, node.c(1)), node.c(1));
                }));
                stages.back().index = i;
            }
            Options options;
            options.onOracle = false;  // for which it is a broken rule
            EXPECT_EQ(first(run(stages, {launchWords("from", 0, 1, {})}, options), 2 * kNodes), wanted);
            expectRuleBroken(stages, {launchWords("from", 0, 1, {})});
        }
    }
}

}  // namespace

}  // namespace millrace::conformance
