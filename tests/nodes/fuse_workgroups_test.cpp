// SPDX-License-Identifier: Apache-2.0
// Consumers that a workgroup of the producer runs together.
#include "nodes/fuse_test.h"

namespace millrace::nodes {

namespace {

// A static node of 8 invocations that receives %input.
NodeSource mate(const std::string& body, const std::string& grid = "%u1 %u1 %u1")
{
    NodeSource source = consumer(body);
    source.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX " + grid;
    return source;
}

std::string sendsTogether(const std::string& count, const std::string& fill)
{
    std::string text = sends(count, "%u0", fill);
    const std::string scope = "OpAllocateNodePayloadsAMDX %np_Items %u4";
    EXPECT_NE(text.find(scope), std::string::npos) << text;
    return text.replace(text.find(scope), scope.size(), "OpAllocateNodePayloadsAMDX %np_Items %u2");
}

constexpr const char* kMeeting = R"(
%flag = OpAccessChain %wg_uint %shared %lane
OpStore %flag %u1
OpControlBarrier %u2 %u2 %u264
)";

NodeSource meeting(NodeSource source, const std::string& initializer = "")
{
    source.body = "%lane2 = OpLoad %uint %lidx\n" + source.body;
    source.globals += R"(
        %u264 = OpConstant %uint 264
        %array = OpTypeArray %uint %u8
        %wg_array = OpTypePointer Workgroup %array
        %wg_uint = OpTypePointer Workgroup %uint
        %null = OpConstantNull %array
        %shared = OpVariable %wg_array Workgroup )" +
                      initializer + "\n";
    source.interface += " %shared";
    return source;
}

constexpr const char* kLane = "%lane = OpLoad %uint %lidx\n";

class FuseWorkgroups : public Fuse {
protected:
    FuseWorkgroups() { byWorkgroup = true; }
};

}  // namespace

TEST_F(FuseWorkgroups, TogetherForOnePayload)
{
    const std::string text = fused(producer(sendsTogether("%u1", kFill)), {{mate(kWork)}});
    EXPECT_FALSE(contains(text, "OpAllocateNodePayloadsAMDX"));
    EXPECT_FALSE(contains(text, "LinkageAttributes"));
    EXPECT_FALSE(contains(text, "OpLoopMerge"));
    EXPECT_TRUE(contains(text, "%item_payloads = OpVariable %_ptr_Workgroup__arr_"));
    EXPECT_EQ(count(text, "OpControlBarrier"), 1u);  // between producer and consumer
    EXPECT_TRUE(node.declared.outputs.empty());
    EXPECT_EQ(node.declared.localSize[0], 8u);
    EXPECT_EQ(node.decided.packWidth, 0u);
}

// A consumer sees images that its producer wrote; nobody waits for them where there are none.
TEST_F(FuseWorkgroups, Barriers_OrderImagesWhereThereAreSome)
{
    const NodeSource from = producer(sendsTogether("%u1", kFill));
    EXPECT_TRUE(contains(fused(from, {{mate(kWork)}}), "OpControlBarrier %uint_2 %uint_2 %uint_328"));
    NodeSource reader = mate(std::string(kWork) + R"(
%where = OpLoad %image2d %image
%texel = OpImageRead %v4uint %where %place
%first_of = OpCompositeExtract %uint %texel 0
OpStore %word_at %first_of
)");
    reader.decorations = "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 7\n";
    reader.globals = R"(%image2d = OpTypeImage %uint 2D 0 0 0 2 R32ui
%v4uint = OpTypeVector %uint 4
%uc_image = OpTypePointer UniformConstant %image2d
%place = OpConstantComposite %uint2 %u1 %u3
%image = OpVariable %uc_image UniformConstant
)";
    reader.interface += " %image";
    EXPECT_TRUE(contains(fused(from, {{reader}}), "OpControlBarrier %uint_2 %uint_2 %uint_2376"));
}

// The workgroup's payloads, each with its node index, which invocations take as they come.
TEST_F(FuseWorkgroups, OfPayloadsThatInvocationsSend)
{
    const std::string text = fused(producer(sends("%u1", "%u0", kFill)), {{mate(kWork)}});
    EXPECT_EQ(count(text, "OpAtomicIAdd"), 2u);                   // one of them the consumer's
    EXPECT_EQ(count(text, "OpLoopMerge"), 2u);                    // taking them, and running their consumers
    EXPECT_TRUE(contains(text, "%uint_9 = OpConstant %uint 9"));  // eight and nobody's
}

TEST_F(FuseWorkgroups, OfAGrid)
{
    NodeSource source = mate(
        "%id = OpLoad %uint3 %wgid\n%x = OpCompositeExtract %uint %id 0\n"
        "%word_at = OpAccessChain %sb_uint %out %u0 %x\nOpStore %word_at %u1\n",
        "%u2 %u2 %u1");
    source.interface += " %wgid";
    source.decorations += "OpDecorate %wgid BuiltIn WorkgroupId\n";
    source.globals += "%in_uint3 = OpTypePointer Input %uint3\n%wgid = OpVariable %in_uint3 Input\n";
    const std::string text = fused(producer(sendsTogether("%u1", kFill)), {{source}});
    EXPECT_EQ(count(text, "OpLoopMerge"), 1u);
    EXPECT_TRUE(contains(text, "OpUMod"));
}

// Nobody may begin while others still look at what the workgroup before has in its memory.
TEST_F(FuseWorkgroups, WithMemory_WaitForEachOther)
{
    const NodeSource from = producer(sends("%u1", "%u0", kFill));
    const std::string text = fused(from, {{meeting(mate(std::string(kLane) + kMeeting + kWork))}});
    EXPECT_EQ(count(text, "OpControlBarrier"), 3u);
    const std::string started = fused(from, {{meeting(mate(std::string(kLane) + kMeeting + kWork), "%null")}});
    EXPECT_EQ(count(started, "OpControlBarrier"), 4u);
}

TEST_F(FuseWorkgroups, InTheVulkanMemoryModel)
{
    NodeSource from = producer(sends("%u1", "%u0", kFill));
    NodeSource to = mate(kWork);
    for (NodeSource* source : {&from, &to}) {
        source->memoryModel = "OpMemoryModel Logical Vulkan";
        source->capabilities = "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope\n";
    }
    EXPECT_TRUE(contains(fused(from, {{to}}), "NonPrivatePointer"));
}

TEST_F(FuseWorkgroups, OfOtherPayloads_AreRefused)
{
    NodeSource source = mate(kWork);
    source.itemDecorations += "OpMemberDecorate %Item 2 Offset 8\n";
    source.item = "%Item = OpTypeStruct %uint %uint %uint";
    EXPECT_NE(refused(producer(sendsTogether("%u1", kFill)), {{source}}).find("no member of 32 bits at offset 8"),
              std::string::npos);
    NodeSource swapped = mate(kWork);
    swapped.itemDecorations =
        "OpMemberDecorate %Item 0 Offset 4\nOpMemberDecorate %Item 1 Offset 0\n"
        "OpDecorateId %Items NodeMaxPayloadsAMDX %u1\n";
    EXPECT_NE(refused(producer(sendsTogether("%u1", kFill)), {{swapped}}).find("the producer has another structure"),
              std::string::npos);
    NodeSource vector = mate("%key_at = OpAccessChain %np_uint %input %u0 %u0 %u1\n%key = OpLoad %uint %key_at\n");
    vector.itemDecorations = "OpMemberDecorate %Item 0 Offset 0\n";
    vector.itemDecorations += "OpDecorateId %Items NodeMaxPayloadsAMDX %u1\n";
    vector.item = "%Item = OpTypeStruct %uint2";
    EXPECT_NE(refused(producer(sendsTogether("%u1", kFill)), {{vector}}).find("the producer has another structure"),
              std::string::npos);
}

}  // namespace millrace::nodes
