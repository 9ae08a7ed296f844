// SPDX-License-Identifier: Apache-2.0
#include "nodes/fuse_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "nodes/fuse_nodes.h"
#include "nodes/fusion/kept_declaration.h"

namespace millrace::nodes {

namespace {

class FuseGraph : public testing::Test {
protected:
    void add(const spirv::Words& words, const std::string& name, uint32_t index = 0,
             std::optional<size_t> sameCodeAs = std::nullopt)
    {
        Options options;
        options.request.nodeName = name;
        options.request.shaderIndex = index;
        options.checks.afterPass = [this](std::string_view pass, std::span<const uint32_t>) {
            timesPrepared += pass == "choosePacking" ? 1 : 0;
        };
        auto prepared = prepare(words, options);
        ASSERT_TRUE(prepared) << prepared.error().text();
        nodes.push_back({std::make_shared<const spirv::Words>(words), std::move(options), std::move(*prepared),
                         sameCodeAs.value_or(nodes.size())});
    }

    void addProducer(const std::string& name, const NodeSource& source) { add(assembledProducer(source), name); }
    void addConsumer(const std::string& name, uint32_t index = 0, std::optional<size_t> sameCodeAs = std::nullopt)
    {
        add(assembledConsumer(consumer(kWork)), name, index, sameCodeAs);
    }

    // Of the one output.
    FusionOutcome outcome()
    {
        fuse();
        EXPECT_EQ(outcomes.size(), 1u);
        return outcomes.empty() ? FusionOutcome{} : outcomes.front();
    }

    void fuse(const FuseFunction& fuseOne = fuseCode)
    {
        std::vector<graph::Node> linked;
        for (const FusableNode& node : nodes)
            linked.push_back(node.prepared.node);
        auto before = graph::link(std::move(linked));
        ASSERT_TRUE(before) << before.error().text();
        auto after = fuseGraph(nodes, std::move(*before), all, outcomes, fuseOne);
        ASSERT_TRUE(after) << after.error().text();
        graph = std::move(*after);
    }

    static NodeSource sender() { return producer(sends("%u1", "%u0", kFill)); }
    static NodeSource arraySender(const std::string& size)
    {
        NodeSource source = producer(sends("%u1", "%lane", kFill));
        source.itemDecorations += "OpDecorateId %Items PayloadNodeArraySizeAMDX " + size + "\n";
        return source;
    }

    std::vector<FusableNode> nodes;
    graph::Graph graph;
    std::vector<FusionOutcome> outcomes;
    bool all = false;
    std::atomic<uint32_t> timesPrepared = 0;
};

// A second output, %np_Others, of one payload for the node of this name.
void declareOthers(NodeSource& source, const std::string& name)
{
    source.itemDecorations +=
        "OpDecorateId %Others NodeMaxPayloadsAMDX %u1\nOpDecorateId %Others PayloadNodeNameAMDX %next\n";
    source.globals +=
        "\n%Others = OpTypeNodePayloadArrayAMDX %Item\n%np_Others = OpTypePointer NodePayloadAMDX %Others\n"
        "%next = OpConstantStringAMDX \"" +
        name + "\"\n";
}

}  // namespace

TEST_F(FuseGraph, OneConsumer)
{
    addProducer("from", sender());
    addConsumer("item");
    const FusionOutcome done = outcome();
    EXPECT_EQ(done.node, "'from'[0]");
    EXPECT_EQ(done.output, "item");
    EXPECT_TRUE(done.fused);
    EXPECT_TRUE(nodes[0].changed);
    EXPECT_FALSE(nodes[1].changed);
    EXPECT_TRUE(graph.nodes[0].declared.outputs.empty());
    EXPECT_EQ(graph.nodes.size(), 2u);
    EXPECT_TRUE(graph.findNode({"item", 0}));
    EXPECT_EQ(graph.levels.size(), 2u);  // the API's and one
}

// The nodes themselves were prepared before.
TEST_F(FuseGraph, OnlyWhatItMakes_IsPrepared)
{
    addProducer("from", sender());
    addConsumer("item");
    timesPrepared = 0;
    EXPECT_TRUE(outcome().fused);
    EXPECT_EQ(timesPrepared, 1u);
}

TEST_F(FuseGraph, OnlyALevelThatSendsAndWhatItMakes_IsPrepared)
{
    add(assembledConsumer(uneven("%u7")), "item");
    timesPrepared = 0;
    EXPECT_TRUE(outcome().depthFirst);
    EXPECT_EQ(timesPrepared, 2u);
}

TEST_F(FuseGraph, ManyNodesOfOneCode)
{
    addProducer("from", arraySender("%u16"));
    for (uint32_t i = 0; i < 16; ++i)
        addConsumer("item", i, 1);
    EXPECT_TRUE(outcome().fused);
}

TEST_F(FuseGraph, ManyCodes_AreRefused)
{
    addProducer("from", arraySender("%u16"));
    for (uint32_t i = 0; i < 16; ++i)
        addConsumer("item", i);
    EXPECT_EQ(outcome().why, "fuse: its nodes have 16 different codes, more than 8 ('item')");
    EXPECT_FALSE(nodes[0].changed);
    EXPECT_EQ(graph.nodes[0].declared.outputs.size(), 1u);
}

TEST_F(FuseGraph, StagesWithOptionsOfTheirOwn_AreRefused)
{
    addProducer("from", sender());
    addConsumer("item");
    nodes[1].isPlain = false;
    EXPECT_EQ(outcome().why, "fuse: its stage has options of its own ('item'[0])");
    nodes[1].isPlain = true;
    nodes[0].isPlain = false;
    EXPECT_EQ(outcome().why, "fuse: its stage has options of its own ('from'[0])");
    nodes[0].isPlain = true;
    EXPECT_TRUE(outcome().fused);
}

TEST_F(FuseGraph, CodeThatCannot_IsNamed)
{
    addProducer("from", sender());
    add(assembledConsumer(consumer(std::string(kWork) + "OpControlBarrier %u2 %u2 %u0\n")), "item");
    const FusionOutcome done = outcome();
    EXPECT_FALSE(done.fused);
    EXPECT_NE(done.why.find("OpControlBarrier"), std::string::npos) << done.why;
}

// first -> item -> last: in two rounds.
TEST_F(FuseGraph, Chains)
{
    NodeSource middle = consumer(kWork);
    declareOthers(middle, "last");
    middle.body +=
        "%sent = OpAllocateNodePayloadsAMDX %np_Others %u4 %u1 %u0\n"
        "%a = OpAccessChain %np_uint %sent %u0 %u0\nOpStore %a %key\n"
        "%b = OpAccessChain %np_uint %sent %u0 %u1\nOpStore %b %key\nOpEnqueueNodePayloadsAMDX %sent\n";
    addProducer("first", sender());
    add(assembledConsumer(middle), "item");
    addConsumer("last");
    fuse();
    ASSERT_EQ(outcomes.size(), 2u);
    EXPECT_TRUE(outcomes[0].fused && outcomes[1].fused);
    EXPECT_TRUE(nodes[0].changed && nodes[1].changed);
    EXPECT_EQ(graph.levels.size(), 2u);
}

// Fusing the same again gives the same, which caches and shared pipelines rely on.
TEST_F(FuseGraph, Deterministic)
{
    std::vector<spirv::Words> words;
    for (const char* name : {"one", "two"}) {
        nodes.clear();
        addProducer(name, sender());
        addConsumer("item");
        EXPECT_TRUE(outcome().fused);
        words.push_back(*nodes[0].words);
    }
    EXPECT_EQ(words[0], words[1]);
}

TEST_F(FuseGraph, LastLevelOfRecursion)
{
    add(assembledConsumer(recursive()), "item");
    const FusionOutcome done = outcome();
    EXPECT_EQ(done.node, "'item'[0]");
    EXPECT_TRUE(done.fused);
    EXPECT_TRUE(done.lastLevel);
    EXPECT_EQ(done.why, "it has atomics");
    ASSERT_EQ(nodes.size(), 3u);
    EXPECT_FALSE(nodes[0].changed);
    EXPECT_TRUE(nodes[1].changed && nodes[2].changed);
    EXPECT_EQ(graph.nodes[1].decided.levelGroup, (graph::LevelGroup{0, 2, true}));
    EXPECT_EQ(graph.nodes[2].decided.levelGroup, (graph::LevelGroup{0, 1, false}));
    EXPECT_EQ(graph.findNode({"item", 0}), 0u);
    EXPECT_EQ(graph.apiQueues[1], abi::kNoQueue);
    EXPECT_EQ(graph.levels.size(), 4u);  // the API's and three of four
    ASSERT_EQ(graph.slots.size(), 4u);
    EXPECT_EQ(graph.slots[0].node, 2u);
    EXPECT_EQ(graph.slots[1].node, 2u);
    EXPECT_EQ(graph.slots[2].node, 1u);
    EXPECT_EQ(graph.slots[2].remaining, 1u);
    EXPECT_TRUE(graph.slots[2].outputMaps.empty());
    EXPECT_EQ(graph.slots[3].node, 0u);
    EXPECT_EQ(graph.slots[3].level, 0u);
}

TEST_F(FuseGraph, LastLevelOfOneLevelOfRecursion_LeavesNothingToTheNodeItself)
{
    add(assembledConsumer(recursive("%u0", "%u1")), "item");
    EXPECT_TRUE(outcome().lastLevel);
    EXPECT_EQ(graph.levels.size(), 2u);
    EXPECT_EQ(graph.slots[0].node, 1u);
    EXPECT_EQ(graph.apiQueues[0], graph.slots[0].queue);
}

// An invocation goes down to one of four payloads, and runs that and the two that it sends.
TEST_F(FuseGraph, AllLevelsOfARecursionInOne)
{
    add(assembledConsumer(regular("%u3")), "item");
    const FusionOutcome done = outcome();
    EXPECT_EQ(done.levelsInOne, 4u);
    EXPECT_EQ(done.parts, 4u);
    EXPECT_FALSE(done.lastLevel);
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(graph.nodes[1].decided.levelGroup, (graph::LevelGroup{0, 4, true}));
    EXPECT_TRUE(graph.nodes[1].declared.outputs.empty());
    EXPECT_EQ(graph.levels.size(), 2u);
}

TEST_F(FuseGraph, TwoLevelsInOne)
{
    add(assembledConsumer(regular("%u1")), "item");
    EXPECT_EQ(outcome().levelsInOne, 2u);
    EXPECT_EQ(graph.nodes[1].decided.parts, 1u);
    EXPECT_EQ(graph.levels.size(), 2u);
}

// One payload each: there is one way, and nothing on it runs twice, whatever it does.
TEST_F(FuseGraph, ChainsOfPayloads)
{
    NodeSource source = regular("%u7");
    const std::string allocation = "%np_Nexts %u4 %u2";
    source.body.replace(source.body.find(allocation), allocation.size(), "%np_Nexts %u4 %u1");
    source.body += "\n%elsewhere = OpAccessChain %sb_uint %out %u0 %u1\nOpStore %elsewhere %u1\n";
    add(assembledConsumer(source), "item");
    EXPECT_EQ(outcome().levelsInOne, 8u);
    EXPECT_EQ(graph.nodes[1].decided.parts, 1u);
    EXPECT_EQ(graph.levels.size(), 2u);
}

// All invocations of a workgroup allocate two payloads together.
NodeSource ofWorkgroups(NodeSource source, const std::string& maximum)
{
    source.modes =
        "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1\n"
        "OpExecutionModeId %main MaxNodeRecursionAMDX " +
        maximum;
    const std::string allocation = "%np_Nexts %u4 %u2";
    source.body.replace(source.body.find(allocation), allocation.size(), "%np_Nexts %u2 %u2");
    return source;
}

TEST_F(FuseGraph, LevelsOfWorkgroups)
{
    add(assembledConsumer(ofWorkgroups(regular("%u3"), "%u3")), "item");
    const FusionOutcome done = outcome();
    EXPECT_EQ(done.levelsInOne, 4u) << done.why;
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(graph.nodes[1].decided.levelGroup, (graph::LevelGroup{0, 4, true}));
    EXPECT_TRUE(graph.nodes[1].declared.outputs.empty());
    EXPECT_EQ(graph.nodes[1].declared.localSize[0], 8u);
}

// Two payloads each: four levels are 15 runs of the node in a workgroup, five would be too many.
TEST_F(FuseGraph, LevelsOfWorkgroups_AreInGroups)
{
    add(assembledConsumer(ofWorkgroups(regular("%u7"), "%u7")), "item");
    EXPECT_EQ(outcome().levelsInOne, 4u);
    ASSERT_EQ(nodes.size(), 3u);
    EXPECT_EQ(graph.levels.size(), 3u);
    EXPECT_EQ(graph.slots[0].node, 2u);
    EXPECT_EQ(graph.slots[4].node, 1u);
    const auto own = std::ranges::find(graph.nodes[2].declared.outputs, 1u, &graph::NodeOutput::allocationSites);
    ASSERT_NE(own, graph.nodes[2].declared.outputs.end());
    EXPECT_EQ(own->budget, 16u) << "of eight workgroups";
    const size_t output = static_cast<size_t>(own - graph.nodes[2].declared.outputs.begin());
    EXPECT_EQ(graph.receiversOf(graph.slots[0], output), std::vector<uint32_t>{graph.slots[4].queue});
    for (const uint32_t inside : {1u, 2u, 3u, 5u, 6u, 7u})
        EXPECT_EQ(graph.slots[inside].level, 0u) << inside;
}

TEST_F(FuseGraph, LevelsOfWorkgroups_LeaveTheFirstByItself)
{
    add(assembledConsumer(ofWorkgroups(regular("%u4"), "%u4")), "item");
    EXPECT_EQ(outcome().levelsInOne, 4u);
    EXPECT_EQ(graph.levels.size(), 3u);
    EXPECT_EQ(graph.slots[0].node, 0u);
    EXPECT_EQ(graph.slots[1].node, 1u);
}

// It takes longer, so only tests ask for it.
TEST_F(FuseGraph, LevelsOfWorkgroupsWithAtomics)
{
    const NodeSource source = ofWorkgroups(recursive("%u0", "%u3"), "%u3");
    add(assembledConsumer(source), "item");
    const FusionOutcome done = outcome();
    EXPECT_TRUE(done.lastLevel);
    EXPECT_EQ(done.why, "it has atomics");
    nodes.clear();
    add(assembledConsumer(source), "item");
    all = true;
    EXPECT_EQ(outcome().levelsInOne, 4u);
}

TEST_F(FuseGraph, WorkgroupsOfOneShape)
{
    addProducer("from", sender());
    NodeSource mate = consumer(kWork);
    mate.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1";
    add(assembledConsumer(mate), "item");
    const FusionOutcome done = outcome();
    EXPECT_TRUE(done.fused && done.byWorkgroup) << done.why;
    EXPECT_TRUE(graph.nodes[0].declared.outputs.empty());
}

// Each gets a copy, if that is short.
TEST_F(FuseGraph, SeveralProducers)
{
    addProducer("from", sender());
    addProducer("other", producer(sends("%u2", "%u0", kFill)));
    addProducer("third", sender());
    nodes.back().code = 0;  // the first one's
    addConsumer("item");
    fuse();
    ASSERT_EQ(outcomes.size(), 3u);
    for (const FusionOutcome& outcome : outcomes)
        EXPECT_TRUE(outcome.fused) << outcome.node << outcome.why;
    EXPECT_EQ(graph.levels.size(), 2u);
    EXPECT_EQ(*nodes[0].words, *nodes[2].words);
    EXPECT_EQ(nodes[0].code, nodes[2].code);
    EXPECT_NE(nodes[0].code, nodes[1].code);
    EXPECT_EQ(nodes[2].prepared.node.declared.id.name, "third");
}

namespace {

// Sends the value to each of `count` nodes "to<i>", by an output each.
NodeSource senderToAll(uint32_t count, uint32_t value)
{
    NodeSource source = producer("");
    source.globals = "%value = OpConstant %uint " + std::to_string(1000 + value) + "\n";
    for (uint32_t i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        source.decorations += "OpDecorateId %Items" + n + " NodeMaxPayloadsAMDX %u8\nOpDecorateId %Items" + n +
                              " PayloadNodeNameAMDX %name" + n + "\n";
        source.globals += "%name" + n + " = OpConstantStringAMDX \"to" + n + "\"\n%Items" + n +
                          " = OpTypeNodePayloadArrayAMDX %Item\n%np_Items" + n +
                          " = OpTypePointer NodePayloadAMDX %Items" + n + "\n";
        source.body += "%sent" + n + " = OpAllocateNodePayloadsAMDX %np_Items" + n + " %u4 %u1 %u0\n%at" + n +
                       " = OpAccessChain %np_uint %sent" + n + " %u0 %u1\nOpStore %at" + n + " %value\n" +
                       "OpEnqueueNodePayloadsAMDX %sent" + n + "\n";
    }
    return source;
}

}  // namespace

// Everybody sends to everybody: what fusion makes grows with the nodes and what they send, not with more.
TEST_F(FuseGraph, ManyThatSendToMany_CopiesAreBounded)
{
    for (const auto& [senders, receivers] :
         {std::pair(2u, 4u), std::pair(16u, 8u), std::pair(17u, 8u), std::pair(64u, 64u), std::pair(2u, 64u)}) {
        SCOPED_TRACE(std::to_string(senders) + " to " + std::to_string(receivers));
        nodes.clear();
        outcomes.clear();
        for (uint32_t s = 0; s < senders; ++s)
            addProducer("from" + std::to_string(s), senderToAll(receivers, s));
        for (uint32_t r = 0; r < receivers; ++r)
            addConsumer("to" + std::to_string(r));
        std::atomic<uint32_t> made = 0;
        fuse([&](const FusableNode& producer, const FusedOutput& output) {
            ++made;
            return fuseCode(producer, output);
        });
        ASSERT_EQ(outcomes.size(), senders * receivers);
        const uint32_t inside = senders > 16 ? 0 : std::min(receivers, 32u);
        EXPECT_EQ(std::ranges::count_if(outcomes, &FusionOutcome::fused), senders * inside);
        EXPECT_EQ(made, senders * inside);
        for (const FusionOutcome& outcome : outcomes) {
            EXPECT_EQ(outcome.fused, outcome.why.empty()) << outcome.why;
            EXPECT_TRUE(outcome.fused || outcome.why.find("more than") != std::string::npos) << outcome.why;
        }
    }
}

TEST_F(FuseGraph, SeveralProducersOfLongCode)
{
    std::string work = kWork;
    for (int i = 0; i < 64; ++i)
        work += "%more" + std::to_string(i) + " = OpIAdd %uint %key %u1\n";
    addProducer("from", sender());
    addProducer("other", sender());
    add(assembledConsumer(consumer(work)), "item");
    fuse();
    ASSERT_EQ(outcomes.size(), 2u);
    EXPECT_FALSE(outcomes[0].fused);
    EXPECT_THAT(outcomes[0].why,
                testing::HasSubstr("it has several producers, and loops or more than 64 instructions"));
}

// Whose levels may be long.
NodeSource longRegular(const std::string& maximum)
{
    NodeSource source = regular(maximum);
    const std::string lane = "%lane = OpLoad %uint %lane_at\n";
    source.body.replace(source.body.find(lane), lane.size(), lane + R"(
        OpStore %count %u0
        OpBranch %header
        %header = OpLabel
        OpLoopMerge %done %again None
        OpBranch %check
        %check = OpLabel
        %now = OpLoad %uint %count
        %more = OpULessThan %bool %now %lane
        OpBranchConditional %more %again %done
        %again = OpLabel
        %one = OpIAdd %uint %now %u1
        OpStore %count %one
        OpBranch %header
        %done = OpLabel
        )");
    source.body = "%count = OpVariable %fn_uint Function\n" + source.body;
    return source;
}

TEST_F(FuseGraph, LevelsThatMayBeLong_RunOnce)
{
    add(assembledConsumer(longRegular("%u7")), "item");
    const FusionOutcome done = outcome();
    EXPECT_TRUE(done.lastLevel);
    EXPECT_EQ(done.why, "levels may be too long to be run again");
    EXPECT_EQ(graph.levels.size(), 8u);
}

// Each sends four payloads.
NodeSource wide(const std::string& maximum)
{
    NodeSource source = regular(maximum);
    const std::string count = "%np_Nexts %u4 %u2 ";
    source.body.replace(source.body.find(count), count.size(), "%np_Nexts %u4 %u4 ");
    const std::string limit = "%Nexts NodeMaxPayloadsAMDX %u2";
    source.decorations.replace(source.decorations.find(limit), limit.size(), "%Nexts NodeMaxPayloadsAMDX %u4");
    return source;
}

// 4^6 ways, at the end of which an invocation runs a payload and the four that it sends.
TEST_F(FuseGraph, LevelsThatOnlySend_AreInOneThroughout)
{
    add(assembledConsumer(wide("%u7")), "item");
    const FusionOutcome done = outcome();
    EXPECT_EQ(done.levelsInOne, 8u);
    EXPECT_EQ(done.parts, 4096u);
    ASSERT_EQ(graph.nodes.size(), 2u);
    EXPECT_EQ(graph.nodes[1].decided.levelGroup, (graph::LevelGroup{0, 8, true}));
    EXPECT_EQ(graph.nodes[1].decided.parts, 4096u);
    EXPECT_TRUE(graph.nodes[1].declared.outputs.empty());
    EXPECT_EQ(graph.levels.size(), 2u);
}

// No way has more than 65,536 ends: as few levels of ours as can be, about as long.
TEST_F(FuseGraph, DeepRecursion_HasGroupsOfTwoSizes)
{
    add(assembledConsumer(wide("%u16")), "item");
    EXPECT_EQ(outcome().levelsInOne, 8u);
    ASSERT_EQ(graph.nodes.size(), 3u);
    EXPECT_EQ(graph.nodes[1].decided.levelGroup, (graph::LevelGroup{0, 8, true}));
    EXPECT_EQ(graph.nodes[2].decided.levelGroup, (graph::LevelGroup{0, 9, false}));
    EXPECT_EQ(graph.nodes[2].decided.parts, 65536u);
    EXPECT_EQ(graph.levels.size(), 3u);
    EXPECT_EQ(graph.slots[0].node, 2u);
    EXPECT_EQ(graph.slots[9].node, 1u);
    EXPECT_EQ(graph.slots[9].level, 2u);
}

// Others that come by would do so again, and leaves may write what a level above them has read.
TEST_F(FuseGraph, LevelsThatReadOrWriteMemory_RunOnce)
{
    for (const char* access : {"OpStore %elsewhere %u1", "%there = OpLoad %uint %elsewhere"}) {
        NodeSource source = wide("%u3");
        source.body += std::string("\n%elsewhere = OpAccessChain %sb_uint %out %u0 %u1\n") + access;
        nodes.clear();
        add(assembledConsumer(source), "item");
        const FusionOutcome done = outcome();
        EXPECT_TRUE(done.lastLevel) << access;
        EXPECT_EQ(done.why, "levels above the last do more than send payloads to the next") << access;
    }
}

// Slots below the top one are for what is left to others, of any level: five, however deep the recursion is.
TEST_F(FuseGraph, LevelsOfDifferentNumbersOfPayloads_RunDepthFirst)
{
    add(assembledConsumer(uneven("%u7")), "item");
    const FusionOutcome done = outcome();
    EXPECT_TRUE(done.fused && done.depthFirst);
    EXPECT_FALSE(done.lastLevel);
    ASSERT_EQ(nodes.size(), 1u);
    EXPECT_TRUE(nodes[0].changed);
    EXPECT_EQ(graph.nodes[0].decided.depthFirst, 7u);
    EXPECT_EQ(graph.nodes[0].declared.maxRecursion, 5u);
    ASSERT_EQ(graph.slots.size(), 6u);
    EXPECT_EQ(graph.queues[0].remainingOffset, abi::kNoOffset);
    EXPECT_EQ(graph.slots[0].leftOffset, 8u);
    EXPECT_EQ(graph.queues[1].remainingOffset, 8u);
    EXPECT_EQ(graph.queues[1].stride, 16u);
    EXPECT_EQ(graph.slots[5].leftOffset, abi::kNoOffset);
}

TEST_F(FuseGraph, DepthFirst_OnlyAsDeepAsTheRecursion)
{
    add(assembledConsumer(uneven("%u1")), "item");
    EXPECT_TRUE(outcome().depthFirst);
    EXPECT_EQ(graph.nodes[0].declared.maxRecursion, 1u);
    EXPECT_EQ(graph.levels.size(), 3u);
}

// What else it sends would have to wait in memory until it has run.
TEST_F(FuseGraph, RecursionThatSendsToOthers_FusesItsLastLevel)
{
    NodeSource source = uneven("%u3");
    declareOthers(source, "last");
    source.body += "\n%other = OpAllocateNodePayloadsAMDX %np_Others %u2 %u1 %u0\nOpEnqueueNodePayloadsAMDX %other\n";
    add(assembledConsumer(source), "item");
    addConsumer("last");
    fuse();
    const auto own = std::ranges::find(outcomes, "item", &FusionOutcome::output);
    ASSERT_NE(own, outcomes.end());
    EXPECT_TRUE(own->lastLevel);
    EXPECT_THAT(own->why, testing::HasSubstr("it sends to other nodes as well"));
}

// What sends at its leaves alone, to a node that nobody runs inside another.
TEST_F(FuseGraph, LeavesThatSendToOthers)
{
    NodeSource source = wide("%u7");
    declareOthers(source, "collect");
    const std::string store = "OpStore %word_at %u1";
    source.body.replace(source.body.find(store), store.size(),
                        "%other = OpAllocateNodePayloadsAMDX %np_Others %u4 %u1 %u0\n"
                        "%other_at = OpAccessChain %np_uint %other %u0 %u1\nOpStore %other_at %key\n"
                        "OpEnqueueNodePayloadsAMDX %other");
    add(assembledConsumer(source), "item");
    NodeSource collect = consumer(kWork);
    collect.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main CoalescingAMDX";
    collect.itemDecorations = kPair + std::string("OpDecorateId %Items NodeMaxPayloadsAMDX %u16\n");
    add(assembledConsumer(collect), "collect");
    fuse();
    const auto own = std::ranges::find(outcomes, "item", &FusionOutcome::output);
    ASSERT_NE(own, outcomes.end());
    EXPECT_EQ(own->levelsInOne, 8u) << own->why;
    EXPECT_EQ(own->parts, 4096u);
    ASSERT_EQ(graph.nodes.size(), 3u);
    const auto others = std::ranges::find(graph.nodes[2].declared.outputs, "collect", &graph::NodeOutput::targetName);
    ASSERT_NE(others, graph.nodes[2].declared.outputs.end());
    EXPECT_EQ(others->budget, 4u) << "of the four leaves that an invocation runs";
    EXPECT_EQ(graph.slots[0].node, 2u);
    EXPECT_EQ(graph.levels.size(), 3u);
}

// As Direct3D 12's compilers write it, whose allocations must be in uniform control flow.
TEST_F(FuseGraph, LastLevelThatAllocatesNothing)
{
    NodeSource source = recursive();
    source.body = std::string(R"(
        %remaining = OpLoad %uint %rem
        %sends = OpINotEqual %bool %remaining %u0
        %count = OpSelect %uint %sends %u2 %u0
        %sent = OpAllocateNodePayloadsAMDX %np_Nexts %u4 %count %u0
        OpSelectionMerge %end None
        OpBranchConditional %sends %fill %leaf
        %fill = OpLabel
        %own_at = OpAccessChain %np_uint %input %u0 %u1
        %own = OpLoad %uint %own_at
        %at = OpAccessChain %np_uint %sent %u0 %u0
        OpStore %at %own
        OpBranch %end
        %leaf = OpLabel)") +
                  kWork + R"(
        OpBranch %end
        %end = OpLabel
        OpEnqueueNodePayloadsAMDX %sent)";
    add(assembledConsumer(source), "item");
    const FusionOutcome done = outcome();
    EXPECT_TRUE(done.lastLevel) << done.why;
    EXPECT_EQ(done.why, "it has atomics");
    EXPECT_TRUE(graph.nodes[1].declared.outputs.empty());

    const size_t atomic = source.body.find("%old = ");
    source.body.replace(atomic, source.body.find('\n', atomic) - atomic, "OpStore %word_at %u1");
    nodes.clear();
    add(assembledConsumer(source), "item");
    EXPECT_EQ(outcome().levelsInOne, 4u);
    EXPECT_TRUE(graph.nodes[1].declared.outputs.empty());
}

TEST_F(FuseGraph, LevelsThatSomeSendTo_RunDepthFirst)
{
    NodeSource source = regular("%u3");
    const std::string send = "%sent = ";
    source.body.replace(source.body.find(send), send.size(), R"(%is_odd = OpIEqual %bool %lane %u1
        OpSelectionMerge %none None
        OpBranchConditional %is_odd %some %none
        %some = OpLabel
        %sent = )");
    source.body += "\nOpBranch %none\n%none = OpLabel\n";
    add(assembledConsumer(source), "item");
    EXPECT_TRUE(outcome().depthFirst);
}

// As the layer does it: nodes with the same code are prepared once, so the second has the name and index of the first.
TEST_F(FuseGraph, LastLevelOfANodeThatWasLoweredAsAnother)
{
    const spirv::Words words = assembledConsumer(recursive("%u1"));
    add(words, "item", 0);
    add(words, "item", 1, 0);
    const std::vector<FusableNode> before = nodes;
    fuse();
    ASSERT_EQ(nodes.size(), 4u);
    EXPECT_EQ(graph.nodes[2].decided.levelGroup, (graph::LevelGroup{1, 2, true}));
    const spirv::Words fused = *nodes[2].words;
    nodes = before;
    std::vector<graph::Node> linked{before[0].prepared.node, before[1].prepared.node};
    nodes[1].prepared = nodes[0].prepared;
    auto again = graph::link(std::move(linked));
    ASSERT_TRUE(again);
    const auto after = fuseGraph(nodes, std::move(*again), false, outcomes);
    ASSERT_TRUE(after) << after.error().text();
    ASSERT_EQ(nodes.size(), 4u);
    EXPECT_EQ(*nodes[2].words, fused);
    EXPECT_EQ(after->nodes[2].declared.id, (graph::NodeId{"item", 1}));
}

TEST_F(FuseGraph, RecursionThatReachesOtherNodes_KeepsItsLastLevel)
{
    add(assembledConsumer(recursive("%lane")), "item");
    addConsumer("item", 1);
    const FusionOutcome done = outcome();
    EXPECT_FALSE(done.fused);
    EXPECT_THAT(done.why,
                testing::EndsWith("its last level cannot run inside it: the output leads to other nodes as well"));
    EXPECT_EQ(nodes.size(), 2u);
}

TEST_F(FuseGraph, RecursionWhoseLastLevelSends_KeepsIt)
{
    NodeSource source = recursive();
    // The last level sends as the others do; where to, nobody is.
    source.body.replace(source.body.find("OpReturn"), 8, "OpBranch %rest");
    add(assembledConsumer(source), "item");
    const FusionOutcome done = outcome();
    EXPECT_FALSE(done.fused);
    EXPECT_THAT(done.why, testing::HasSubstr("its last level cannot run inside it"));
}

TEST_F(FuseGraph, NodesOfOthersBehind_KeepLastLevels)
{
    add(assembledConsumer(recursive()), "item");
    add(assembledConsumer(consumer(kWork)), "other");
    const FusableNode other = nodes.back();
    std::vector<graph::Node> linked{nodes[0].prepared.node, nodes[1].prepared.node};
    auto before = graph::link(std::move(linked));
    ASSERT_TRUE(before);
    nodes.pop_back();
    const auto after = fuseGraph(nodes, std::move(*before), false, outcomes);
    ASSERT_TRUE(after);
    EXPECT_EQ(nodes.size(), 1u);
    EXPECT_EQ(after->nodes.size(), 2u);
}

// Whatever a pass may lose one day, others would send to the node as it was.
TEST(KeptDeclaration, CodeThatDeclaresOtherwise_IsRefused)
{
    graph::NodeDeclaration node;
    node.id = {"mid", 3};
    node.declaresPayload = true;
    node.payloadBytes = 12;
    node.grid = {4, 2, 4};
    EXPECT_TRUE(keepsDeclaration(node, node));
    const auto refuses = [&](const std::string& what, void (*change)(graph::NodeDeclaration&)) {
        graph::NodeDeclaration other = node;
        change(other);
        const Status status = keepsDeclaration(node, other);
        EXPECT_EQ(status ? "" : status.error().text(),
                  "fuse: the fused code declares otherwise " + what + " ('mid'[3])");
    };
    refuses("its payload", [](graph::NodeDeclaration& other) { other.declaresPayload = false; });
    refuses("its payload", [](graph::NodeDeclaration& other) { other.payloadBytes = 0; });
    refuses("its payload", [](graph::NodeDeclaration& other) { other.payloadAlignment = 8; });
    refuses("its grid", [](graph::NodeDeclaration& other) { other.mode = graph::LaunchMode::Static; });
    refuses("its grid", [](graph::NodeDeclaration& other) { other.staticGrid[1] = 2; });
    refuses("its grid", [](graph::NodeDeclaration& other) { other.declaresMaxGrid = true; });
    refuses("its grid", [](graph::NodeDeclaration& other) { other.maxGrid[2] = 2; });
    refuses("its grid", [](graph::NodeDeclaration& other) { other.grid.offsetBytes = 0; });
    refuses("its grid", [](graph::NodeDeclaration& other) { other.grid.components = 3; });
    refuses("its grid", [](graph::NodeDeclaration& other) { other.grid.componentBytes = 2; });
    refuses("who sends to it", [](graph::NodeDeclaration& other) { other.apiEntry = false; });
    refuses("who sends to it", [](graph::NodeDeclaration& other) { other.maxRecursion = 1; });
    refuses("who sends to it", [](graph::NodeDeclaration& other) { other.sharesInputWith = graph::NodeId{"base", 0}; });
}

}  // namespace millrace::nodes
