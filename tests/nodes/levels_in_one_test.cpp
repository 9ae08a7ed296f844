// SPDX-License-Identifier: Apache-2.0
// What becomes of a recursive node's code where several of its levels are in one. What it does there, tests/random and
// tests/conformance look at; which levels are, fuse_graph_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nodes/fuse_nodes.h"
#include "nodes/fusion/descent.h"
#include "nodes/fusion/levels.h"

namespace millrace::nodes {

namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kLastPreparingPass = "choosePacking";

class LevelsOfANode : public testing::Test {
protected:
    // The module, which must be good for all that is done to nodes.
    std::string made(const NodeSource& source, uint32_t recursion, const LevelsInOne& shape)
    {
        const spirv::Words words = assembledConsumer(source);
        const graph::NodeId id{"item", 0};
        Options options{.request = {.argumentsOffsetBytes = 64}};
        options.request.nodeName = id.name;
        options.checks.afterPass = [this](std::string_view pass, std::span<const uint32_t>) {
            timesPrepared += pass == kLastPreparingPass ? 1 : 0;
        };
        const auto levels = fuseLevels({words, options, id, recursion}, shape);
        EXPECT_TRUE(levels) << levels.error().text();
        if (!levels)
            return {};
        const auto text = spirv::disassemble(*levels);
        EXPECT_TRUE(text);
        options.checks.afterPass = nullptr;
        options.checks.validate = true;
        options.variant.parts = shape.parts();
        const auto compiled = compile(*levels, options);
        EXPECT_TRUE(compiled) << compiled.error().text() << "\n" << *text;
        if (compiled)
            node = compiled->node;
        return *text;
    }

    graph::Node node;
    uint32_t timesPrepared = 0;
};

// Sends two payloads a level; of eight levels the last ones, or some above.
LevelsInOne lastLevels(uint32_t levels, uint32_t descends)
{
    return {.levels = levels, .isLast = true, .descends = descends, .fanOut = 2};
}

size_t count(const std::string& text, const std::string& what)
{
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

}  // namespace

// Each level once, and what runs inside one of them once.
TEST_F(LevelsOfANode, AreNotPreparedAgain)
{
    (void)made(regular("%u7"), 7, lastLevels(2, 0));
    EXPECT_EQ(timesPrepared, 2u + 1);
    timesPrepared = 0;
    (void)made(regular("%u7"), 7, lastLevels(4, 0));
    EXPECT_EQ(timesPrepared, 4u + 3);
}

TEST_F(LevelsOfANode, OneAfterTheOther)
{
    const std::string text = made(regular("%u7"), 7, lastLevels(4, 0));
    EXPECT_THAT(text, Not(HasSubstr("OpUMulExtended")));
    EXPECT_EQ(count(text, "OpLoopMerge"), 3u) << "a loop over what each level but the last sends";
    EXPECT_EQ(node.decided.parts, 1u);
    EXPECT_TRUE(node.declared.outputs.empty());
}

// The levels of a way are a loop around the node's code, the last two are as above.
TEST_F(LevelsOfANode, AWay)
{
    const std::string text = made(regular("%u7"), 7, lastLevels(8, 6));
    EXPECT_EQ(count(text, "OpUMulExtended"), 1u);
    EXPECT_EQ(count(text, "OpLoopMerge"), 2u);
    EXPECT_THAT(text, HasSubstr("%way = OpVariable"));
    EXPECT_THAT(text, HasSubstr("BuiltIn WorkgroupId"));
    EXPECT_EQ(node.decided.parts, 64u);
    EXPECT_TRUE(node.declared.outputs.empty());
}

// Only the last level reads its payload; what the API sends to the first has its size all the same.
TEST_F(LevelsOfANode, PayloadsThatUpperLevelsDoNotRead_AreDeclared)
{
    NodeSource source = regular("%u7");
    const std::string reads = "%lane_at = OpAccessChain %np_uint %input %u0 %u1\n        %lane = OpLoad %uint %lane_at";
    ASSERT_NE(source.body.find(reads), std::string::npos);
    source.body.replace(source.body.find(reads), reads.size(), "%lane = OpCopyObject %uint %u2");
    for (const LevelsInOne& shape :
         {lastLevels(4, 0), lastLevels(8, 6),
          LevelsInOne{.levels = 3, .isLast = false, .below = 2, .descends = 0, .fanOut = 2}}) {
        made(source, 7, shape);
        EXPECT_TRUE(node.declared.declaresPayload);
        EXPECT_EQ(node.declared.payloadBytes, 8u);
        EXPECT_EQ(node.declared.maxRecursion, 7u);
        EXPECT_EQ(node.declared.mode, graph::LaunchMode::Coalescing);
    }
}

TEST_F(LevelsOfANode, AWayToOthers_SendsWhatItsLastLevelSends)
{
    made(regular("%u7"), 7, {.levels = 4, .isLast = false, .below = 2, .descends = 3, .fanOut = 2});
    EXPECT_EQ(node.decided.parts, 8u);
    ASSERT_EQ(node.declared.outputs.size(), 1u);
    EXPECT_EQ(node.declared.outputs[0].budget, 2u);
}

TEST_F(LevelsOfANode, AWayInTheVulkanMemoryModel)
{
    NodeSource source = regular("%u7");
    source.capabilities = "OpCapability VulkanMemoryModel\n";
    source.memoryModel = "OpMemoryModel Logical Vulkan";
    made(source, 7, lastLevels(8, 6));
    EXPECT_EQ(node.decided.parts, 64u);
}

// Its own WorkgroupId is 0 still, whatever part it is.
TEST_F(LevelsOfANode, ANodeThatAsksWhichWorkgroupItIs)
{
    NodeSource source = regular("%u7");
    source.decorations += "\nOpDecorate %group BuiltIn WorkgroupId\n";
    source.globals += "\n%in_uint3 = OpTypePointer Input %uint3\n%group = OpVariable %in_uint3 Input\n";
    source.interface += " %group";
    source.body = "%own_group = OpLoad %uint3 %group\n" + source.body;
    const std::string text = made(source, 7, lastLevels(8, 6));
    EXPECT_EQ(count(text, "BuiltIn WorkgroupId"), 1u);
    EXPECT_EQ(count(text, "OpLoad %v3uint %gl_WorkGroupID"), 1u) << "by the way alone";
    EXPECT_EQ(count(text, "OpLoad %v3uint %"), 4u) << "the node at three places, of variables that are 0";
    EXPECT_THAT(text, HasSubstr("OpConstantNull %v3uint"));
    EXPECT_EQ(node.decided.parts, 64u);
}

// What is private begins anew with each payload on the way.
TEST_F(LevelsOfANode, VariablesBeginAnew)
{
    NodeSource source = regular("%u7");
    source.globals += "\n%pr_uint = OpTypePointer Private %uint\n%counter = OpVariable %pr_uint Private %u16\n";
    source.interface += " %counter";
    source.body = "%counted = OpLoad %uint %counter\nOpStore %counter %u8\n" + source.body;
    const std::string text = made(source, 7, lastLevels(8, 6));
    EXPECT_THAT(text, Not(HasSubstr("Private %uint_16\n")));
    EXPECT_GE(count(text, "%uint_16\n"), 2u) << "on the way and at its end";
}

TEST(Ways, NoMoreThanTheirNumberHasRoom)
{
    EXPECT_EQ(countWays(2, 0), 1u);
    EXPECT_EQ(countWays(2, 16), 65536u);
    EXPECT_EQ(countWays(2, 17), UINT32_MAX);
    EXPECT_EQ(countWays(3, 10), 59049u);
    EXPECT_EQ(countWays(3, 11), UINT32_MAX);
    EXPECT_EQ(countWays(UINT32_MAX, 3), UINT32_MAX);
}

// As descent.cpp has it done: a part's digits, the most significant first, whatever the number of children is.
TEST(Ways, EachPartHasItsOwn)
{
    for (const auto& [fanOut, levels] : {std::pair(2u, 16u), {3u, 10u}, {5u, 6u}, {7u, 5u}, {12u, 4u}, {15u, 4u}}) {
        const uint32_t ways = countWays(fanOut, levels);
        ASSERT_NE(ways, UINT32_MAX);
        for (uint32_t part = 0; part < ways; ++part) {
            uint32_t way = part * stepOfWays(ways), end = 0;
            for (uint32_t level = 0; level < levels; ++level) {
                const uint64_t both = uint64_t{way} * fanOut;
                end = end * fanOut + static_cast<uint32_t>(both >> 32);
                way = static_cast<uint32_t>(both);
            }
            ASSERT_EQ(end, part) << fanOut << " children, " << levels << " levels";
        }
    }
}

}  // namespace millrace::nodes
