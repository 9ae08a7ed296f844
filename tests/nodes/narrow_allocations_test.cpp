// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/narrow_allocations.h"

#include "nodes/pass_test.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

class NarrowAllocations : public PassTest {
protected:
    // With `body` lowered, expects `expected` in place of it.
    void expect(const std::string& body, const std::string& expected)
    {
        ModuleText module;
        module.body = body;
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        run(lowerPayloads);
        ASSERT_TRUE(narrowAllocations(shader));
        const Status valid = spirv::validate(spirv::write(shader.module));
        EXPECT_TRUE(valid) << valid.error().text();
        EXPECT_TRUE(isSameCode(functions(), "%main = OpFunction %void None %func\n%entry = OpLabel\n" + expected +
                                                "\nOpReturn\nOpFunctionEnd\n"));
    }
};

}  // namespace

TEST_F(NarrowAllocations, ConstantNodeIndex_IsOneRun)
{
    expect("%a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u1 %u3",
           "%a = OpFunctionCall %v4uint %mr_allocate_to_one %uint_0 %uint_1 %uint_3");
}

TEST_F(NarrowAllocations, SeveralNodeIndices_NeedAHistogram)
{
    expect(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u1 %u3
        %b = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u1 %u5)",
           R"(
        %a = OpFunctionCall %v4uint %mr_allocate_invocation %uint_0 %uint_1 %uint_3
        %b = OpFunctionCall %v4uint %mr_allocate_invocation %uint_0 %uint_1 %uint_5)");
    expect(R"(
        %i = OpLoad %uint %lidx
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u1 %i)",
           R"(
        %i = OpLoad %uint %lidx
        %a = OpFunctionCall %v4uint %mr_allocate_invocation %uint_0 %uint_1 %i)");
}

TEST_F(NarrowAllocations, ByWorkgroups_StayAsTheyAre)
{
    expect("%b = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0",
           "%b = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_1 %uint_0");
}

}  // namespace millrace::nodes
