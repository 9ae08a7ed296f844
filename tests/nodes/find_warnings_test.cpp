// SPDX-License-Identifier: Apache-2.0
#include "nodes/find_warnings.h"

#include "pass_test.h"
#include "spirv/module.h"

namespace millrace::nodes {

namespace {

std::vector<Warning> warningsOf(const std::string& body, const std::string& modes = ModuleText().modes)
{
    ModuleText text;
    text.globals = "%u9 = OpConstant %uint 9\n%spec = OpSpecConstant %uint 9";
    text.modes = modes;
    text.body = body;
    const auto module = spirv::read(text.words());
    EXPECT_TRUE(module);
    return module ? findWarnings(*module, "main") : std::vector<Warning>();
}

constexpr const char* kInBranch = R"(
    %lane = OpLoad %uint %lidx
    %first = OpIEqual %bool %lane %u0
    OpSelectionMerge %after None
    OpBranchConditional %first %then %after
    %then = OpLabel
    %a = OpAllocateNodePayloadsAMDX %np_ToArr SCOPE %u1 %u0
    OpEnqueueNodePayloadsAMDX %a
    OpBranch %after
    %after = OpLabel)";

std::string inBranch(const std::string& scope)
{
    std::string text = kInBranch;
    return text.replace(text.find("SCOPE"), 5, scope);
}

TEST(FindWarnings, MorePayloadsThanTheLimit_Told)
{
    const auto found =
        warningsOf("%a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u9 %u0\nOpEnqueueNodePayloadsAMDX %a");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].reason, "9 payloads for 'target' are allocated, and NodeMaxPayloadsAMDX is 8");
    EXPECT_EQ(found[0].place, "");
}

TEST(FindWarnings, AsManyAsTheLimitOrSpecialized_Nothing)
{
    for (const char* count : {"%u8", "%spec"}) {
        EXPECT_TRUE(warningsOf(std::string("%a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 ") + count +
                               " %u0\nOpEnqueueNodePayloadsAMDX %a")
                        .empty());
    }
}

TEST(FindWarnings, UsedBehindEnqueue_Told)
{
    const auto found = warningsOf(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %before = OpAccessChain %np_uint %a %u0 %u1
        OpStore %before %u1
        OpEnqueueNodePayloadsAMDX %a
        %behind = OpAccessChain %np_uint %a %u0 %u1
        OpStore %behind %u1)");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].reason,
              "payloads for 'target' are used behind their enqueue, when they are the receivers' already");
}

TEST(FindWarnings, WorkgroupAllocatesInADivergentBranch_Told)
{
    const auto found = warningsOf(inBranch("%u2"));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].reason,
              "only some invocations of the workgroup come here, and all must reach the allocation of payloads for "
              "'target'");
}

// The count may differ among invocations. Where they are may not.
TEST(FindWarnings, InvocationAllocatesInADivergentBranch_Told)
{
    const auto found = warningsOf(inBranch("%u4"));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].reason.find("all must reach the allocation of payloads for 'target'"), std::string::npos);
}

TEST(FindWarnings, EnqueueAloneInADivergentBranch_Told)
{
    std::string text = inBranch("%u2");
    const std::string allocation = "%a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0";
    text.erase(text.find(allocation), allocation.size());
    const auto found = warningsOf(allocation + text);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].reason,
              "only some invocations of the workgroup come here, and all must reach the enqueue of payloads for "
              "'target'");
}

TEST(FindWarnings, TheWorkgroupIsOneInvocation_Nothing)
{
    const std::string one =
        "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX "
        "%u4 %u1 %u1";
    EXPECT_TRUE(warningsOf(inBranch("%u2"), one).empty());
}

TEST(FindWarnings, LinesOfTheModule_ArePlaces)
{
    ModuleText text;
    text.names = "%file = OpString \"node.hlsl\"";
    text.globals = "%u9 = OpConstant %uint 9";
    text.body =
        "OpLine %file 12 3\n%a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u9 %u0\nOpEnqueueNodePayloadsAMDX %a";
    const auto module = spirv::read(text.words());
    ASSERT_TRUE(module);
    const auto found = findWarnings(*module, "main");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].place, "node.hlsl:12");
}

}  // namespace

}  // namespace millrace::nodes
