// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/inline_payload_functions.h"

#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

bool inlines(const ModuleText& module)
{
    const spirv::Words words = module.words();
    auto inlined = spirv::read(words);
    EXPECT_TRUE(inlined);
    const Status status = inlinePayloadFunctions(*inlined);
    EXPECT_TRUE(status) << status.error().text();
    if (spirv::write(*inlined) == words)
        return false;
    EXPECT_EQ(inlined->functions.size(), 1u);
    return true;
}

// A module that calls a function with one parameter.
ModuleText calling(const std::string& argument, const std::string& type, const std::string& before = "")
{
    ModuleText module;
    module.globals = "%ftype = OpTypeFunction %void " + type;
    module.body = before + "\n%x = OpFunctionCall %void %f " + argument;
    module.functions = R"(
        %f = OpFunction %void None %ftype
        %p = OpFunctionParameter )" +
                       type + R"(
        %f1 = OpLabel
        OpReturn
        OpFunctionEnd)";
    return module;
}

}  // namespace

TEST(InlinePayloadFunctions, NoModifyOtherParameters)
{
    EXPECT_FALSE(inlines({}));
    EXPECT_FALSE(inlines(calling("%u1", "%uint")));
    EXPECT_FALSE(inlines(calling("%v", "%fn_uint", "%v = OpVariable %fn_uint Function")));
    EXPECT_FALSE(inlines(calling("%out", "%sb_Out")));
}

TEST(InlinePayloadFunctions, Payloads)
{
    EXPECT_TRUE(inlines(calling("%input", "%np_InArr")));
    EXPECT_TRUE(inlines(calling("%v", "%fn_ToArr", "%v = OpVariable %fn_ToArr Function")));
    EXPECT_TRUE(inlines(calling("%v", "%ToArr", R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a)")));
    EXPECT_TRUE(inlines(calling("%v", "%np_Rec", "%v = OpAccessChain %np_Rec %input %u0")));
}

TEST(InlinePayloadFunctions, PointersThatOnlyLookLikeVariables)
{
    EXPECT_TRUE(inlines(calling("%p0", "%fn_uint", R"(
        %v = OpVariable %fn_ToArr Function
        %p0 = OpAccessChain %fn_uint %v %u0 %u1)")));
}

TEST(InlinePayloadFunctions, BuiltIns)
{
    EXPECT_TRUE(inlines(calling("%wgid", "%in_uint3")));
}

TEST(InlinePayloadFunctions, Result)
{
    ModuleText module;
    module.globals = "%ftype = OpTypeFunction %ToArr";
    module.body = "%x = OpFunctionCall %ToArr %f";
    module.functions = R"(
        %f = OpFunction %ToArr None %ftype
        %f1 = OpLabel
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpReturnValue %v
        OpFunctionEnd)";
    EXPECT_TRUE(inlines(module));
}

}  // namespace millrace::nodes
