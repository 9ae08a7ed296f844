// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/inline_calls.h"

#include "nodes/pass_test.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

size_t count(const std::string& text, std::string_view what)
{
    size_t found = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

// `helper` has two instructions that count, and is called `calls` times.
ModuleText calling(uint32_t calls, const std::string& helper)
{
    ModuleText module;
    for (uint32_t c = 0; c < calls; ++c)
        module.body += "%x" + std::to_string(c) + " = OpFunctionCall %void %helper\n";
    module.functions = "%helper = OpFunction %void None %func\n%h1 = OpLabel\n" + helper + "OpReturn\nOpFunctionEnd\n";
    return module;
}

constexpr const char* kShort = R"(
    %at = OpAccessChain %sb_uint %out %u0 %u1
    OpStore %at %u1
)";

constexpr const char* kReturnsEarly = R"(
    %at = OpAccessChain %sb_uint %out %u0 %u1
    %old = OpLoad %uint %at
    %is = OpIEqual %bool %old %u1
    OpSelectionMerge %behind None
    OpBranchConditional %is %early %behind
    %early = OpLabel
    OpReturn
    %behind = OpLabel
    OpStore %at %u1
)";

constexpr const char* kReturnsFromALoop = R"(
    %at = OpAccessChain %sb_uint %out %u0 %u1
    OpBranch %head
    %head = OpLabel
    OpLoopMerge %after %next None
    OpBranch %inside
    %inside = OpLabel
    %old = OpLoad %uint %at
    %is = OpIEqual %bool %old %u1
    OpSelectionMerge %on None
    OpBranchConditional %is %early %on
    %early = OpLabel
    OpReturn
    %on = OpLabel
    OpBranch %next
    %next = OpLabel
    OpBranch %head
    %after = OpLabel
)";

class InlineCalls : public PassTest {
protected:
    std::string inlined(const ModuleText& module)
    {
        load(module);
        options.target.inlinesCalls = true;
        EXPECT_TRUE(inlineCalls(shader, options.target));
        const Status valid = spirv::validate(spirv::write(shader.module));
        EXPECT_TRUE(valid) << valid.error().text();
        return text();
    }
};

}  // namespace

TEST_F(InlineCalls, FunctionsGoWhereTheyAreCalled)
{
    const std::string text = inlined(calling(1, kShort));
    EXPECT_EQ(count(text, "OpFunctionCall"), 0u) << text;
    EXPECT_EQ(count(text, "OpFunctionEnd"), 1u) << text;
}

TEST_F(InlineCalls, OtherDrivers_KeepCalls)
{
    load(calling(1, kShort));
    ASSERT_TRUE(inlineCalls(shader, options.target));
    EXPECT_EQ(count(text(), "OpFunctionCall"), 1u) << text();
}

TEST_F(InlineCalls, ReturnsInBranches_LeaveASwitch)
{
    const std::string text = inlined(calling(1, kReturnsEarly));
    EXPECT_EQ(count(text, "OpFunctionCall"), 0u) << text;
    EXPECT_EQ(count(text, "OpSwitch"), 1u) << text;
}

TEST_F(InlineCalls, OfFunctionsThatReturnFromLoops_Stay)
{
    const std::string text = inlined(calling(1, kReturnsFromALoop));
    EXPECT_EQ(count(text, "OpFunctionCall"), 1u) << text;
}

TEST_F(InlineCalls, WhatWouldBecomeTwiceAsLong_Stays)
{
    std::string longer;
    for (uint32_t i = 0; i < 20; ++i)
        longer += "%at" + std::to_string(i) + " = OpAccessChain %sb_uint %out %u0 %u1\nOpStore %at" +
                  std::to_string(i) + " %u1\n";
    EXPECT_EQ(count(inlined(calling(1, longer)), "OpFunctionCall"), 0u);
    EXPECT_EQ(count(inlined(calling(20, longer)), "OpFunctionCall"), 20u);
}

}  // namespace millrace::nodes
