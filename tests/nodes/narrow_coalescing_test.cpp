// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/narrow_coalescing.h"

#include "nodes/pass_test.h"
#include "nodes/passes/choose_packing.h"
#include "nodes/passes/reflect_node.h"

namespace millrace::nodes {

namespace {

// Doubles an element of %out by the payload of %lane.
constexpr const char* kWork = R"(
%key_at = OpAccessChain %np_uint %input %lane %u0
%key = OpLoad %uint %key_at
%word_at = OpAccessChain %sb_uint %out %u0 %key
%old = OpAtomicIAdd %uint %word_at %u1 %u0 %u1
)";

std::string inIf(const std::string& test, const std::string& work)
{
    return test + "\nOpSelectionMerge %join None\nOpBranchConditional %inside %then %join\n%then = OpLabel\n" + work +
           "\nOpBranch %join\n%join = OpLabel\n";
}

constexpr const char* kLane = "%lane = OpLoad %uint %lidx\n";
constexpr const char* kLength = "%length = OpNodePayloadArrayLengthAMDX %uint %input\n";
constexpr const char* kLess = "%inside = OpULessThan %bool %lane %length\n";

class NarrowCoalescing : public PassTest {
protected:
    static ModuleText module(const std::string& body)
    {
        ModuleText text;
        text.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main CoalescingAMDX";
        text.body = body;
        return text;
    }

    static ModuleText pattern(const std::string& work = kWork)
    {
        return module(std::string(kLane) + kLength + inIf(kLess, work));
    }

    // The pass changes declarations only.
    bool narrows(const ModuleText& text)
    {
        load(text);
        const std::string before = functions();
        run(narrowCoalescing);
        EXPECT_EQ(functions(), before);
        run(reflectNode);
        run(choosePacking);
        const bool isNarrow = shader.node.declared.localSize[0] == 1;
        EXPECT_EQ(shader.node.declared.maxInputPayloads == 1, isNarrow);
        EXPECT_EQ(shader.node.decided.packWidth > 0, isNarrow);
        return isNarrow;
    }
};

}  // namespace

TEST_F(NarrowCoalescing, ThePattern)
{
    EXPECT_TRUE(narrows(pattern()));
    EXPECT_EQ(shader.node.declared.mode, graph::LaunchMode::Coalescing);
    EXPECT_TRUE(has("OpExecutionMode %main LocalSize 1 1 1"));
}

TEST_F(NarrowCoalescing, WithoutPacking_IsLeftAlone)
{
    options.target.packWidth = 0;
    EXPECT_FALSE(narrows(pattern()));
}

TEST_F(NarrowCoalescing, OtherModes_AreLeftAlone)
{
    ModuleText text = pattern();
    text.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1";
    load(text);
    run(narrowCoalescing);
    EXPECT_TRUE(has("OpExecutionMode %main LocalSize 8 1 1"));
}

TEST_F(NarrowCoalescing, LocalSizeById)
{
    ModuleText text = pattern();
    text.modes = "OpExecutionModeId %main LocalSizeId %u8 %u1 %u1\nOpExecutionMode %main CoalescingAMDX";
    EXPECT_TRUE(narrows(text));
}

TEST_F(NarrowCoalescing, AllComparisons)
{
    const char* const tests[] = {
        "%inside = OpULessThan %bool %lane %length",
        "%inside = OpSLessThan %bool %lane %length",
        "%inside = OpUGreaterThan %bool %length %lane",
        "%inside = OpSGreaterThan %bool %length %lane",
        "%outside = OpUGreaterThanEqual %bool %lane %length\n%inside = OpLogicalNot %bool %outside",
        "%outside = OpSGreaterThanEqual %bool %lane %length\n%inside = OpLogicalNot %bool %outside",
        "%outside = OpULessThanEqual %bool %length %lane\n%inside = OpLogicalNot %bool %outside",
        "%outside = OpSLessThanEqual %bool %length %lane\n%inside = OpLogicalNot %bool %outside",
        "%a = OpULessThan %bool %lane %length\n%b = OpLogicalNot %bool %a\n%inside = OpLogicalNot %bool %b",
    };
    for (const char* test : tests)
        EXPECT_TRUE(narrows(module(std::string(kLane) + kLength + inIf(test, kWork)))) << test;
}

// An invocation without a payload would act.
TEST_F(NarrowCoalescing, WrongComparisons_AreLeftAlone)
{
    const char* const tests[] = {
        "%inside = OpULessThanEqual %bool %lane %length",
        "%inside = OpUGreaterThan %bool %lane %length",
        "%inside = OpUGreaterThanEqual %bool %lane %length",
        "%inside = OpULessThan %bool %length %lane",
        "%inside = OpIEqual %bool %lane %length",
        "%inside = OpINotEqual %bool %lane %length",
        "%inside = OpULessThan %bool %lane %u4",
        "%a = OpULessThan %bool %lane %length\n%inside = OpLogicalNot %bool %a",
        "%a = OpULessThan %bool %lane %length\n%inside = OpLogicalOr %bool %a %true",
    };
    for (const char* test : tests)
        EXPECT_FALSE(narrows(module(std::string(kLane) + kLength + inIf(test, kWork)))) << test;
}

TEST_F(NarrowCoalescing, InvocationId_OfARow)
{
    const std::string tail = std::string(kLength) + inIf(kLess, kWork);
    const std::string whole = "%id = OpLoad %uint3 %lid\n%lane = OpCompositeExtract %uint %id 0\n" + tail;
    const std::string global = "%id = OpLoad %uint3 %gid\n%lane = OpCompositeExtract %uint %id 0\n" + tail;
    const std::string part = "%x = OpAccessChain %in_uint %lid %u0\n%lane = OpLoad %uint %x\n" + tail;
    for (const std::string& body : {whole, global, part}) {
        EXPECT_TRUE(narrows(module(body))) << body;
        ModuleText square = module(body);
        square.modes = "OpExecutionMode %main LocalSize 4 2 1\nOpExecutionMode %main CoalescingAMDX";
        EXPECT_FALSE(narrows(square)) << body;
    }
    EXPECT_FALSE(narrows(module("%id = OpLoad %uint3 %lid\n%lane = OpCompositeExtract %uint %id 1\n" + tail)));
    EXPECT_FALSE(narrows(module("%x = OpAccessChain %in_uint %lid %u1\n%lane = OpLoad %uint %x\n" + tail)));
}

TEST_F(NarrowCoalescing, ASquareByItsIndex)
{
    ModuleText text = pattern();
    text.modes = "OpExecutionMode %main LocalSize 4 2 1\nOpExecutionMode %main CoalescingAMDX";
    EXPECT_TRUE(narrows(text));
}

TEST_F(NarrowCoalescing, EarlyReturn)
{
    const std::string leave = R"(
%outside = OpUGreaterThanEqual %bool %lane %length
OpSelectionMerge %rest None
OpBranchConditional %outside %leave %rest
%leave = OpLabel
OpReturn
%rest = OpLabel
)";
    EXPECT_TRUE(narrows(module(std::string(kLane) + kLength + leave + kWork)));
}

TEST_F(NarrowCoalescing, ValuesInVariables)
{
    const std::string body = std::string(R"(
%kept_lane = OpVariable %fn_uint Function
%kept_length = OpVariable %fn_uint Function
%kept_test = OpVariable %fn_bool Function
%loaded = OpLoad %uint %lidx
OpStore %kept_lane %loaded
)") + kLength + R"(
OpStore %kept_length %length
%lane = OpLoad %uint %kept_lane
%most = OpLoad %uint %kept_length
%test = OpULessThan %bool %lane %most
OpStore %kept_test %test
)";
    ModuleText text = module(body + inIf("%inside = OpLoad %bool %kept_test", kWork));
    text.globals = "%fn_bool = OpTypePointer Function %bool";
    EXPECT_TRUE(narrows(text));
    // Another value may be in it.
    ModuleText twice = module(body + "OpStore %kept_test %true\n" + inIf("%inside = OpLoad %bool %kept_test", kWork));
    twice.globals = text.globals;
    EXPECT_FALSE(narrows(twice));
    ModuleText moved = module(body + "OpStore %kept_lane %u1\n" + inIf("%inside = OpLoad %bool %kept_test", kWork));
    moved.globals = text.globals;
    EXPECT_FALSE(narrows(moved));
}

TEST_F(NarrowCoalescing, SignedLanes)
{
    const std::string body = std::string(R"(
%unsigned = OpLoad %uint %lidx
%lane = OpBitcast %int %unsigned
%length = OpNodePayloadArrayLengthAMDX %int %input
)") + inIf("%inside = OpSLessThan %bool %lane %length", kWork);
    EXPECT_TRUE(narrows(module(body)));
}

// All of these can tell the invocation or its workgroup from others.
TEST_F(NarrowCoalescing, OtherUsesOfTheLane_AreLeftAlone)
{
    const char* const uses[] = {
        "%at = OpAccessChain %sb_uint %out %u0 %lane\nOpStore %at %u1",
        "%at = OpAccessChain %sb_uint %out %u0 %u0\nOpStore %at %lane",
        "%at = OpAccessChain %sb_uint %out %u0 %u0\n%sum = OpIAdd %uint %lane %u1\nOpStore %at %sum",
        "%at = OpAccessChain %sb_uint %out %u0 %u0\n%x = OpAtomicIAdd %uint %at %u1 %u0 %lane",
        "%test = OpIEqual %bool %lane %u0",
        "%kind = OpSelect %uint %true %lane %u0",
    };
    for (const char* use : uses)
        EXPECT_FALSE(narrows(pattern(std::string(kWork) + use))) << use;
}

TEST_F(NarrowCoalescing, OtherUsesOfTheLength_AreLeftAlone)
{
    EXPECT_FALSE(
        narrows(pattern(std::string(kWork) + "%at = OpAccessChain %sb_uint %out %u0 %u0\nOpStore %at %length")));
    EXPECT_FALSE(narrows(pattern(std::string(kWork) + "%few = OpULessThan %bool %length %u2")));
}

TEST_F(NarrowCoalescing, PayloadsOfOthers_AreLeftAlone)
{
    EXPECT_FALSE(narrows(pattern("%other = OpAccessChain %np_uint %input %u0 %u0\n%x = OpLoad %uint %other\n")));
    EXPECT_FALSE(narrows(pattern(
        "%next = OpIAdd %uint %lane %u1\n%other = OpAccessChain %np_uint %input %next %u0\n%x = OpLoad %uint %other")));
    EXPECT_FALSE(narrows(pattern("%wrong = OpAccessChain %np_uint %input %u1 %u0\nOpStore %wrong %u1\n")));
}

TEST_F(NarrowCoalescing, EffectsOutside_AreLeftAlone)
{
    const char* const effects[] = {
        "%at = OpAccessChain %sb_uint %out %u0 %u0\nOpStore %at %u1\n",
        "%at = OpAccessChain %sb_uint %out %u0 %u0\n%x = OpAtomicIAdd %uint %at %u1 %u0 %u1\n",
        "%at = OpAccessChain %sb_uint %out %u0 %u0\nOpCopyMemory %at %at\n",
        "%x = OpFunctionCall %void %act\n",
    };
    for (const char* effect : effects) {
        ModuleText before = module(std::string(kLane) + kLength + effect + inIf(kLess, kWork));
        ModuleText behind = module(std::string(kLane) + kLength + inIf(kLess, kWork) + effect);
        for (ModuleText* text : {&before, &behind}) {
            text->functions =
                "%act = OpFunction %void None %func\n%act_entry = OpLabel\n%act_at = OpAccessChain %sb_uint %out %u0 "
                "%u0\nOpStore %act_at %u1\nOpReturn\nOpFunctionEnd";
            EXPECT_FALSE(narrows(*text)) << effect;
        }
    }
}

TEST_F(NarrowCoalescing, HarmlessFunctionsOutside)
{
    ModuleText text = module(std::string(kLane) + kLength + "%x = OpFunctionCall %uint %outer\n" + inIf(kLess, kWork));
    text.globals = "%gives = OpTypeFunction %uint";
    const std::string functions = R"(
%outer = OpFunction %uint None %gives
%outer_entry = OpLabel
%kept = OpVariable %fn_uint Function
%y = OpFunctionCall %uint %inner
OpStore %kept %y
OpReturnValue %y
OpFunctionEnd
%inner = OpFunction %uint None %gives
%inner_entry = OpLabel
EFFECT
OpReturnValue %u1
OpFunctionEnd
)";
    const auto with = [&](const std::string& effect) {
        text.functions = functions;
        text.functions.replace(functions.find("EFFECT"), 6, effect);
        return text;
    };
    EXPECT_TRUE(narrows(with("")));
    EXPECT_FALSE(narrows(with("%at = OpAccessChain %sb_uint %out %u0 %u0\nOpStore %at %u1")));
}

TEST_F(NarrowCoalescing, HarmlessCodeOutside)
{
    const char* const harmless =
        "%at = OpAccessChain %sb_uint %out %u0 %u0\n%x = OpLoad %uint %at\n%y = OpIAdd %uint %x %u1\n";
    EXPECT_TRUE(narrows(module(std::string(kLane) + kLength + harmless + inIf(kLess, kWork))));
}

TEST_F(NarrowCoalescing, ElseWithEffects_IsLeftAlone)
{
    const std::string body = std::string(kLane) + kLength + kLess + R"(
OpSelectionMerge %join None
OpBranchConditional %inside %then %else
%then = OpLabel
)" + kWork + R"(
OpBranch %join
%else = OpLabel
%at = OpAccessChain %sb_uint %out %u0 %u0
OpStore %at %u1
OpBranch %join
%join = OpLabel
)";
    EXPECT_FALSE(narrows(module(body)));
}

std::string loopAround(const std::string& inside)
{
    return R"(
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %u0 %entry %more %next
OpLoopMerge %after %next None
OpBranch %check
%check = OpLabel
%again = OpULessThan %bool %i %u3
OpBranchConditional %again %loop %after
%loop = OpLabel
)" + inside +
           R"(
OpBranch %next
%next = OpLabel
%more = OpIAdd %uint %i %u1
OpBranch %header
%after = OpLabel
)";
}

TEST_F(NarrowCoalescing, InsideALoop)
{
    EXPECT_TRUE(narrows(module(kLane + std::string(kLength) + loopAround(inIf(kLess, kWork)))));
    EXPECT_FALSE(narrows(module(kLane + std::string(kLength) + loopAround(kWork))));
}

// for (i = lane; i < length; i += 8) takes the payloads of others.
TEST_F(NarrowCoalescing, StridedLoops_AreLeftAlone)
{
    const std::string body = std::string(kLane) + kLength + R"(
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %lane %entry %more %next
OpLoopMerge %after %next None
OpBranch %check
%check = OpLabel
%again = OpULessThan %bool %i %length
OpBranchConditional %again %loop %after
%loop = OpLabel
%at = OpAccessChain %np_uint %input %i %u0
%key = OpLoad %uint %at
%word = OpAccessChain %sb_uint %out %u0 %key
OpStore %word %u1
OpBranch %next
%next = OpLabel
%more = OpIAdd %uint %i %u8
OpBranch %header
%after = OpLabel
)";
    EXPECT_FALSE(narrows(module(body)));
}

TEST_F(NarrowCoalescing, Barriers_AreLeftAlone)
{
    EXPECT_FALSE(narrows(module(std::string(kLane) + kLength + "OpControlBarrier %u2 %u2 %u0\n" + inIf(kLess, kWork))));
    EXPECT_FALSE(narrows(pattern(std::string(kWork) + "OpMemoryBarrier %u1 %u8\n")));
}

TEST_F(NarrowCoalescing, WorkgroupMemory_IsLeftAlone)
{
    ModuleText text = pattern();
    text.globals = "%wg_uint = OpTypePointer Workgroup %uint\n%shared = OpVariable %wg_uint Workgroup";
    text.interface += " %shared";
    EXPECT_FALSE(narrows(text));
}

TEST_F(NarrowCoalescing, SubgroupOperations_AreLeftAlone)
{
    ModuleText text = pattern(std::string(kWork) + "%any = OpGroupNonUniformAny %bool %u3 %true\n");
    text.capabilities = "OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote";
    EXPECT_FALSE(narrows(text));
    ModuleText size = pattern(std::string(kWork) + "%lanes = OpLoad %uint %subgroup\n");
    size.capabilities = "OpCapability GroupNonUniform";
    size.annotations = "OpDecorate %subgroup BuiltIn SubgroupSize";
    size.globals = "%subgroup = OpVariable %in_uint Input";
    size.interface += " %subgroup";
    EXPECT_FALSE(narrows(size));
}

TEST_F(NarrowCoalescing, SizeOfTheWorkgroup_IsLeftAlone)
{
    ModuleText text = pattern();
    text.annotations = "OpDecorate %size BuiltIn WorkgroupSize";
    text.globals = "%size = OpConstantComposite %uint3 %u8 %u1 %u1";
    EXPECT_FALSE(narrows(text));
}

// An invocation would have to work on several.
TEST_F(NarrowCoalescing, MorePayloadsThanInvocations_AreLeftAlone)
{
    ModuleText text = pattern();
    text.modes = "OpExecutionMode %main LocalSize 3 1 1\nOpExecutionMode %main CoalescingAMDX";
    EXPECT_FALSE(narrows(text));
    text.modes = "OpExecutionMode %main LocalSize 4 1 1\nOpExecutionMode %main CoalescingAMDX";
    EXPECT_TRUE(narrows(text));
}

TEST_F(NarrowCoalescing, Senders_AreLeftAlone)
{
    EXPECT_FALSE(narrows(module(std::string("%sent = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0\n") + kLane +
                                kLength + inIf(kLess, kWork) + "OpEnqueueNodePayloadsAMDX %sent\n")));
}

TEST_F(NarrowCoalescing, Functions)
{
    const std::string function = R"(
%act = OpFunction %void None %func
%act_entry = OpLabel
%act_at = OpAccessChain %sb_uint %out %u0 %u0
%act_old = OpAtomicIAdd %uint %act_at %u1 %u0 %u1
OpReturn
OpFunctionEnd
)";
    ModuleText text = pattern(std::string(kWork) + "%x = OpFunctionCall %void %act\n");
    text.functions = function;
    EXPECT_TRUE(narrows(text));
    // One that sees which invocation calls it.
    ModuleText sees = pattern(std::string(kWork) + "%x = OpFunctionCall %void %act\n");
    sees.functions = R"(
%act = OpFunction %void None %func
%act_entry = OpLabel
%act_lane = OpLoad %uint %lidx
%act_at = OpAccessChain %sb_uint %out %u0 %act_lane
OpStore %act_at %u1
OpReturn
OpFunctionEnd
)";
    EXPECT_FALSE(narrows(sees));
    // The lane as an argument.
    ModuleText told = pattern(std::string(kWork) + "%x = OpFunctionCall %void %act %lane\n");
    told.globals = "%takes = OpTypeFunction %void %uint";
    told.functions =
        "%act = OpFunction %void None %takes\n%p = OpFunctionParameter %uint\n%act_entry = OpLabel\nOpReturn\n"
        "OpFunctionEnd";
    EXPECT_FALSE(narrows(told));
}

TEST_F(NarrowCoalescing, OwnPayload_MayBeWritten)
{
    EXPECT_TRUE(narrows(pattern("%at = OpAccessChain %np_uint %input %lane %u0\nOpStore %at %u1\n")));
}

}  // namespace millrace::nodes
