// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/split_payload_copies.h"

#include "nodes/pass_test.h"
#include "nodes/passes/reflect_node.h"

namespace millrace::nodes {

namespace {

class SplitPayloadCopies : public PassTest {
protected:
    void expect(const std::string& before, const std::string& after)
    {
        ModuleText module;
        module.body = before;
        load(module);
        run(reflectNode);
        run(splitPayloadCopies);
        EXPECT_TRUE(isSameCode(functions(), "%main = OpFunction %void None %func\n%entry = OpLabel\n" + after +
                                                "\nOpReturn\nOpFunctionEnd\n"));
    }
};

}  // namespace

TEST_F(SplitPayloadCopies, NoModifyOtherMemory)
{
    expect(R"(
        %x = OpVariable %fn_uint Function
        %y = OpVariable %fn_uint Function
        OpCopyMemory %x %y)",
           R"(
        %x = OpVariable %_ptr_Function_uint Function
        %y = OpVariable %_ptr_Function_uint Function
        OpCopyMemory %x %y)");
}

TEST_F(SplitPayloadCopies, PayloadToVariable_IsLoadAndStore)
{
    expect(R"(
        %x = OpVariable %fn_uint Function
        %p = OpAccessChain %np_uint %input %u0 %u1
        OpCopyMemory %x %p Volatile)",
           R"(
        %x = OpVariable %_ptr_Function_uint Function
        %p = OpAccessChain %_ptr_NodePayloadAMDX_uint %input %uint_0 %uint_1
        %v = OpLoad %uint %p Volatile
        OpStore %x %v Volatile)");
}

TEST_F(SplitPayloadCopies, TwoSetsOfOperands_StayApart)
{
    expect(R"(
        %x = OpVariable %fn_uint Function
        %p = OpAccessChain %np_uint %input %u0 %u1
        OpCopyMemory %x %p Nontemporal Volatile|Aligned 4)",
           R"(
        %x = OpVariable %_ptr_Function_uint Function
        %p = OpAccessChain %_ptr_NodePayloadAMDX_uint %input %uint_0 %uint_1
        %v = OpLoad %uint %p Volatile|Aligned 4
        OpStore %x %v Nontemporal)");
}

TEST_F(SplitPayloadCopies, HandleToVariable_IsLoadAndStore)
{
    expect(R"(
        %x = OpVariable %fn_InArr Function
        OpCopyMemory %x %input)",
           R"(
        %x = OpVariable %_ptr_Function_InArr Function
        %v = OpLoad %InArr %input
        OpStore %x %v)");
}

}  // namespace millrace::nodes
