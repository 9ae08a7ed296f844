// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/wrap_entry_point.h"

#include "nodes/pass_test.h"
#include "nodes/passes/choose_packing.h"
#include "nodes/passes/lower_built_ins.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/lower_push_constants.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"

namespace millrace::nodes {

namespace {

class WrapEntryPoint : public PassTest {
protected:
    WrapEntryPoint() { options.target.staticInvocations = 8; }

    // All of the main function from its body block on.
    std::string wrapped(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        run(choosePacking);
        run(lowerBuiltIns);
        run(lowerPayloads);
        run(lowerPushConstants);
        run(wrapEntryPoint);
        const std::string all = functions();
        return all.substr(all.find("%main = OpFunction"));
    }

    static std::string around(const std::string& body)
    {
        return R"(
            %main = OpFunction %void None %func
            %start = OpLabel
            %p0 = OpAccessChain %_ptr_PushConstant_v2uint %node_arguments %uint_0
            %v0 = OpLoad %v2uint %p0
            %p1 = OpAccessChain %_ptr_PushConstant_v2uint %node_arguments %uint_1
            %v1 = OpLoad %v2uint %p1
            %low = OpCompositeConstruct %v4uint %v0 %v1
            %p2 = OpAccessChain %_ptr_PushConstant_v2uint %node_arguments %uint_2
            %v2 = OpLoad %v2uint %p2
            %p3 = OpAccessChain %_ptr_PushConstant_v2uint %node_arguments %uint_3
            %v3 = OpLoad %v2uint %p3
            %high = OpCompositeConstruct %v4uint %v2 %v3
            %begun = OpFunctionCall %void %mr_begin %low %high
            OpBranch %head
            %head = OpLabel
            OpLoopMerge %after %next None
            OpBranch %check
            %check = OpLabel
            %more = OpFunctionCall %bool %mr_next
            OpBranchConditional %more %body %after
            %body = OpLabel
            )" +
               body + R"(
            OpBranch %next
            %next = OpLabel
            OpBranch %head
            %after = OpLabel
            OpReturn
            OpFunctionEnd)";
    }
};

}  // namespace

TEST_F(WrapEntryPoint, NoModifyTheBody)
{
    ModuleText module;
    module.body = "%p = OpAccessChain %sb_uint %out %u0 %u1\nOpStore %p %u5";
    EXPECT_TRUE(isSameCode(wrapped(module), around("%x = OpFunctionCall %void %node_main")));
    EXPECT_TRUE(isSameCode(functions().substr(0, functions().find("%main =")), R"(
        %node_main = OpFunction %void None %func
        %entry = OpLabel
        %p = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %uint_1
        OpStore %p %uint_5
        OpReturn
        OpFunctionEnd)"));
    EXPECT_TRUE(has("OpEntryPoint GLCompute %main \"main\" %out %node_arguments"));
    EXPECT_TRUE(has("OpExecutionMode %main LocalSize 8 1 1"));
}

TEST_F(WrapEntryPoint, BuiltIns_AreSetEachTime)
{
    ModuleText module;
    module.body = "%w = OpLoad %uint3 %wgid\n%g = OpLoad %uint3 %gid";
    EXPECT_TRUE(isSameCode(wrapped(module), around(R"(
        %w = OpFunctionCall %v3uint %mr_workgroup_id
        OpStore %wgid %w
        %local = OpLoad %v3uint %lid
        %group = OpFunctionCall %v3uint %mr_workgroup_id
        %first = OpIMul %v3uint %group %size
        %id = OpIAdd %v3uint %first %local
        OpStore %gid %id
        %x = OpFunctionCall %void %node_main)")));
}

TEST_F(WrapEntryPoint, PrivateInitializers_RunEachTime)
{
    ModuleText module;
    module.names = "OpName %counter \"counter\"";
    module.globals = "%pr_uint = OpTypePointer Private %uint\n%counter = OpVariable %pr_uint Private %u7";
    module.interface += " %counter";
    module.body = "%v = OpLoad %uint %counter\n%w = OpIAdd %uint %v %u1\nOpStore %counter %w";
    EXPECT_TRUE(isSameCode(wrapped(module), around(R"(
        OpStore %counter %uint_7
        %x = OpFunctionCall %void %node_main)")));
    EXPECT_TRUE(has("%counter = OpVariable %_ptr_Private_uint Private"));
}

TEST_F(WrapEntryPoint, SharedInitializers_RunEachTimeBeforeABarrier)
{
    ModuleText module;
    module.names = "OpName %small \"small\"\nOpName %large \"large\"";
    module.globals = R"(
        %u100 = OpConstant %uint 100
        %array = OpTypeArray %uint %u100
        %wg_uint = OpTypePointer Workgroup %uint
        %wg_array = OpTypePointer Workgroup %array
        %zero = OpConstantNull %uint
        %zeros = OpConstantNull %array
        %small = OpVariable %wg_uint Workgroup %zero
        %large = OpVariable %wg_array Workgroup %zeros)";
    module.interface += " %small %large";
    module.body = R"(
        %v = OpLoad %uint %small
        %p = OpAccessChain %wg_uint %large %v
        OpStore %p %u1)";
    EXPECT_TRUE(isSameCode(wrapped(module), around(R"(
        %index = OpLoad %uint %lidx
        %first = OpIEqual %bool %index %uint_0
        OpSelectionMerge %join None
        OpBranchConditional %first %then %join
        %then = OpLabel
        OpStore %small %null
        OpBranch %join
        %join = OpLabel
        OpBranch %lhead
        %lhead = OpLabel
        %i = OpPhi %uint %index %join %up %lnext
        OpLoopMerge %lafter %lnext None
        OpBranch %lcheck
        %lcheck = OpLabel
        %in = OpULessThan %bool %i %uint_100
        OpBranchConditional %in %lbody %lafter
        %lbody = OpLabel
        %p = OpAccessChain %_ptr_Workgroup_uint %large %i
        OpStore %p %null
        OpBranch %lnext
        %lnext = OpLabel
        %up = OpIAdd %uint %i %uint_8
        OpBranch %lhead
        %lafter = OpLabel
        OpControlBarrier %uint_2 %uint_2 %uint_264
        %x = OpFunctionCall %void %node_main)")));
}

TEST_F(WrapEntryPoint, Packed_AsksWhoIsActive)
{
    ModuleText module;
    module.modes = "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main CoalescingAMDX";
    module.interface = "%lidx";
    module.body = "%i = OpLoad %uint %lidx";
    EXPECT_TRUE(isSameCode(wrapped(module), around(R"(
        %active = OpFunctionCall %bool %mr_active
        OpSelectionMerge %join None
        OpBranchConditional %active %then %join
        %then = OpLabel
        OpStore %lidx %null
        %x = OpFunctionCall %void %node_main
        OpBranch %join
        %join = OpLabel)")));
    EXPECT_TRUE(has("OpExecutionMode %main LocalSize 64 1 1"));
}

TEST_F(WrapEntryPoint, OtherModes_MoveToTheNewEntryPoint)
{
    ModuleText module;
    module.capabilities = "OpCapability SignedZeroInfNanPreserve";
    module.modes =
        "OpExecutionModeId %main LocalSizeId %u4 %u2 %u1\n"
        "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u4 %u1 %u1\n"
        "OpExecutionMode %main SignedZeroInfNanPreserve 32";
    wrapped(module);
    EXPECT_TRUE(has("OpExecutionMode %main SignedZeroInfNanPreserve 32"));
    EXPECT_TRUE(has("OpExecutionMode %main LocalSize 4 2 1"));
    EXPECT_EQ(text().find("LocalSizeId"), std::string::npos);
}

}  // namespace millrace::nodes
