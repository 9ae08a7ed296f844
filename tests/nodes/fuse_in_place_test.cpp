// SPDX-License-Identifier: Apache-2.0
// Payloads of more numbers than a function may be given one by one.
#include "nodes/fuse_test.h"

namespace millrace::nodes {

namespace {

// With payloads {uint, uint[numbers - 1]}.
NodeSource ofNumbers(uint32_t numbers, NodeSource source)
{
    source.item = "%length = OpConstant %uint " + std::to_string(numbers - 1) +
                  "\n%row = OpTypeArray %uint %length\n%Item = OpTypeStruct %uint %row\n";
    source.itemDecorations += "OpDecorate %row ArrayStride 4\n";
    return source;
}

constexpr const char* kFillRow = R"(
%first = OpAccessChain %np_uint %sent %u0 %u0
OpStore %first %lane
%second = OpAccessChain %np_uint %sent %u0 %u1 %lane
OpStore %second %u5
)";

constexpr const char* kWorkOnRow = R"(
%at = OpAccessChain %np_uint %input %u0 %u0
%index = OpLoad %uint %at
%key_at = OpAccessChain %np_uint %input %u0 %u1 %index
%key = OpLoad %uint %key_at
%word_at = OpAccessChain %sb_uint %out %u0 %key
%old = OpAtomicIAdd %uint %word_at %u1 %u0 %u1
)";

NodeSource sender(uint32_t numbers, const std::string& count = "%u1", const std::string& index = "%u0")
{
    return ofNumbers(numbers, producer(sends(count, index, kFillRow)));
}

NodeSource receiver(uint32_t numbers)
{
    return ofNumbers(numbers, consumer(kWorkOnRow));
}

}  // namespace

TEST_F(Fuse, ManyNumbers_StayWhereTheProducerKeepsThem)
{
    const std::string few = fused(sender(64, "%u3"), {{receiver(64)}});
    EXPECT_EQ(count(few, "OpFunctionParameter"), 65u);
    for (const uint32_t numbers : {65u, 85u}) {
        const std::string many = fused(sender(numbers, "%u3"), {{receiver(numbers)}});
        EXPECT_EQ(count(many, "OpFunctionParameter"), 2u) << numbers;  // the node's index, the payload's number
        EXPECT_FALSE(contains(many, "OpAllocateNodePayloadsAMDX")) << numbers;
        EXPECT_FALSE(contains(many, "LinkageAttributes")) << numbers;
    }
    fused(sender(256), {{receiver(256)}});
    EXPECT_TRUE(contains(refused(sender(86, "%u3"), {{receiver(86)}}), "3 payloads of 344 bytes, more than 1024"));
}

TEST_F(Fuse, ManyNumbers_OfSeveralConsumers)
{
    NodeSource other = receiver(256);
    other.body.replace(other.body.rfind("%u1"), 3, "%u7");
    const std::string text = fused(sender(256, "%u1", "%lane"), {{receiver(256), {0}}, {other, {1, 2}}});
    EXPECT_EQ(count(text, "OpFunctionParameter"), 4u);
    // One array for both.
    EXPECT_EQ(count(text, "OpTypePointer Private %_arr__struct"), 1u) << text;
}

TEST_F(Fuse, ManyNumbers_OfAnotherStructure_AreRefused)
{
    NodeSource to = receiver(256);
    to.item =
        "%length = OpConstant %uint 255\n%row = OpTypeArray %uint %length\n%Inner = OpTypeStruct %row\n"
        "%Item = OpTypeStruct %uint %Inner\n";
    to.itemDecorations += "OpMemberDecorate %Inner 0 Offset 0\n";
    to.body.replace(to.body.find("%u1 %index"), 10, "%u1 %u0 %index");
    EXPECT_TRUE(contains(refused(sender(256), {{to}}), "the producer has another structure"));
    EXPECT_TRUE(contains(refused(sender(257), {{receiver(257)}}), "more than 1024 bytes"));
}

}  // namespace millrace::nodes
