// SPDX-License-Identifier: Apache-2.0
// What becomes of a recursive node's code. What it does there, tests/random and tests/conformance look at.
#include "nodes/fusion/depth_first.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nodes/fuse_nodes.h"

namespace millrace::nodes {

namespace {

using testing::HasSubstr;
using testing::Not;

class MakeDepthFirst : public testing::Test {
protected:
    Result<DepthFirstNode> make(const NodeSource& source, uint32_t recursion)
    {
        const spirv::Words words = assembledConsumer(source);
        const graph::NodeId id{"item", 0};
        options.request.nodeName = id.name;
        return makeDepthFirst({words, options, id, recursion}, 0);
    }

    // The module, which must be good for all that is done to nodes.
    std::string made(const NodeSource& source, uint32_t recursion)
    {
        const auto node = make(source, recursion);
        EXPECT_TRUE(node) << node.error().text();
        if (!node)
            return {};
        sizes = node->sizes;
        const auto text = spirv::disassemble(node->words);
        EXPECT_TRUE(text);
        Options checked = options;
        checked.checks.validate = true;
        checked.variant.depthFirst = sizes;
        const auto compiled = compile(node->words, checked);
        EXPECT_TRUE(compiled) << compiled.error().text() << "\n" << *text;
        if (compiled)
            this->node = compiled->node;
        return *text;
    }

    std::string refused(const NodeSource& source, uint32_t recursion)
    {
        const auto node = make(source, recursion);
        EXPECT_FALSE(node);
        return node ? "" : node.error().text();
    }

    Options options{.request = {.argumentsOffsetBytes = 64}};
    graph::Node node;
    DepthFirst sizes;
};

}  // namespace

TEST_F(MakeDepthFirst, KeepsWhatItSends)
{
    const std::string text = made(uneven("%u7"), 7);
    EXPECT_THAT(text, HasSubstr("\"mr_next_depth_first\" Import"));
    EXPECT_THAT(text, HasSubstr("\"mr_keep\" Import"));
    EXPECT_THAT(text, HasSubstr("%remaining_recursion = OpVariable"));
    EXPECT_THAT(text, Not(HasSubstr("BuiltIn RemainingRecursionLevelsAMDX")));
    EXPECT_EQ(node.decided.depthFirst, 7u);
    EXPECT_EQ(node.declared.maxRecursion, 5u);
    EXPECT_EQ(sizes.recursion, 7u);
    EXPECT_EQ(sizes.sentMost, 2u);
    EXPECT_EQ(sizes.queuePayloads, 32u);
    EXPECT_EQ(sizes.levelBits, 2u);
    ASSERT_EQ(node.declared.outputs.size(), 1u);
    EXPECT_EQ(node.declared.outputs[0].budget, sizes.queuePayloads);
    EXPECT_EQ(node.declared.outputs[0].constantIndex, 0u);
}

// Where the device shuffles, neighbours take what an invocation keeps: numbers of 32 bits, and longer ones as two.
TEST_F(MakeDepthFirst, NeighboursShare)
{
    NodeSource source = uneven("%u7");
    EXPECT_THAT(made(source, 7), Not(HasSubstr("mr_of_giver")));
    EXPECT_FALSE(sizes.shares);
    EXPECT_EQ(node.decided.sharers, 1u);
    options.target.subgroupOperations = abi::kSubgroupShuffle;
    options.target.minSubgroupSize = 32;
    EXPECT_THAT(made(source, 7), HasSubstr("\"mr_of_giver\" Import"));
    EXPECT_TRUE(sizes.shares);
    EXPECT_EQ(node.decided.sharers, 32u);
    source.capabilities = "OpCapability Int64\n";
    source.itemDecorations += "OpMemberDecorate %Item 2 Offset 8\n";
    source.item = "%ulong = OpTypeInt 64 0\n%Item = OpTypeStruct %uint %uint %ulong";
    EXPECT_THAT(made(source, 7), HasSubstr("\"mr_of_giver_long\" Import"));
}

// Also on a device without such numbers.
TEST_F(MakeDepthFirst, NeighboursSharePointers)
{
    NodeSource source = uneven("%u7");
    source.capabilities = "OpCapability PhysicalStorageBufferAddresses\n";
    source.memoryModel = "OpMemoryModel PhysicalStorageBuffer64 GLSL450";
    source.itemDecorations += "OpMemberDecorate %Item 2 Offset 8\n";
    source.item = "%to_uint = OpTypePointer PhysicalStorageBuffer %uint\n%Item = OpTypeStruct %uint %uint %to_uint";
    options.target.subgroupOperations = abi::kSubgroupShuffle;
    EXPECT_THAT(made(source, 7), HasSubstr("\"mr_of_giver_long\" Import"));
    options.target.longIntegers = false;
    options.target.longAtomics = false;
    EXPECT_THAT(made(source, 7), HasSubstr("\"mr_of_giver_long\" Import"));
}

// Bits that a division becomes a shift with, unless that is too many.
TEST_F(MakeDepthFirst, LevelsAreCounted)
{
    NodeSource source = uneven("%u7");
    const std::string most = "OpDecorateId %Nexts NodeMaxPayloadsAMDX ";
    source.decorations.replace(source.decorations.find(most + "%u2"), most.size() + 3, most + "%u4");
    made(source, 7);
    EXPECT_EQ(sizes.levelBits, 4u);
    made(source, 16);
    EXPECT_EQ(sizes.levelBits, 4u);
    made(source, 17);
    EXPECT_EQ(sizes.levelBits, 3u);
    made(source, 21);
    EXPECT_EQ(sizes.levelBits, 3u);
    EXPECT_THAT(refused(source, 22), HasSubstr("22 levels of up to 4 payloads each are too many to count"));
}

TEST_F(MakeDepthFirst, VulkanMemoryModel)
{
    NodeSource source = uneven("%u7");
    source.capabilities = "OpCapability VulkanMemoryModel\n";
    source.memoryModel = "OpMemoryModel Logical Vulkan";
    EXPECT_THAT(made(source, 7), HasSubstr("\"mr_next_depth_first\" Import"));
}

TEST_F(MakeDepthFirst, VariablesBeginAnewWithEachPayload)
{
    NodeSource source = uneven("%u7");
    source.globals += "\n%pr_uint = OpTypePointer Private %uint\n%counter = OpVariable %pr_uint Private %u16\n";
    source.interface += " %counter";
    source.body = "%counted = OpLoad %uint %counter\nOpStore %counter %u8\n" + source.body;
    const std::string text = made(source, 7);
    EXPECT_THAT(text, Not(HasSubstr("Private %uint_16\n")));
    EXPECT_THAT(text, testing::ContainsRegex("OpStore %[a-z0-9_]* %uint_16\n"));
}

TEST_F(MakeDepthFirst, PayloadsOfOneNumber)
{
    NodeSource source = uneven("%u3");
    source.itemDecorations += "OpMemberDecorate %Item 2 Offset 8\n";
    source.item = "%Item = OpTypeStruct %uint %uint %uint";
    EXPECT_THAT(made(source, 3), HasSubstr("OpTypeStruct %uint %uint %uint"));
}

TEST_F(MakeDepthFirst, CountsOfManyLevels_Refused)
{
    EXPECT_THAT(made(uneven("%u16"), 16), HasSubstr("mr_keep"));
    EXPECT_THAT(refused(uneven("%u4096"), 4096),
                HasSubstr("4096 levels of up to 2 payloads each are too many to count"));
}

TEST_F(MakeDepthFirst, LargePayloads_Refused)
{
    NodeSource source = uneven("%u7");
    source.itemDecorations += "OpMemberDecorate %Item 2 Offset 8\nOpDecorate %Many ArrayStride 4\n";
    source.item = "%u30 = OpConstant %uint 30\n%Many = OpTypeArray %uint %u30\n%Item = OpTypeStruct %uint %uint %Many";
    EXPECT_THAT(refused(source, 7), HasSubstr("an invocation would keep 50 payloads, of more than 4096 bytes"));
}

TEST_F(MakeDepthFirst, CodeThatOrdersMemory_Refused)
{
    NodeSource source = uneven("%u7");
    source.body = "OpMemoryBarrier %u1 %u0\n" + source.body;
    EXPECT_THAT(refused(source, 7), HasSubstr("orders memory"));
}

TEST_F(MakeDepthFirst, CodeThatAsksWhetherItMaySend_Refused)
{
    NodeSource source = uneven("%u7");
    source.globals += "\n%fn_Nexts = OpTypePointer Function %Nexts\n";
    source.body =
        "%asked = OpVariable %fn_Nexts Function\n%valid = OpIsNodePayloadValidAMDX %bool %asked %u0\n" + source.body;
    EXPECT_THAT(refused(source, 7), HasSubstr("asks whether it may send to itself"));
}

}  // namespace millrace::nodes
