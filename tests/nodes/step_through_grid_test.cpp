// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/step_through_grid.h"

#include "nodes/pass_test.h"
#include "nodes/passes/choose_packing.h"
#include "nodes/passes/lower_built_ins.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/lower_push_constants.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"
#include "nodes/passes/wrap_entry_point.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

constexpr const char* kBarrier = "OpControlBarrier %u2 %u2 %u0";  // so that workgroups are not side by side

class StepThroughGrid : public PassTest {
protected:
    void wrap(ModuleText module)
    {
        load(module);
        runAll({reflectNode, reflectOutputs, choosePacking, lowerBuiltIns, lowerPayloads, lowerPushConstants,
                wrapEntryPoint});
    }

    // Returns whether it did anything.
    bool apply(graph::MemoryUse memory, uint32_t emits = abi::kEmitsNothing)
    {
        Code code{.memory = memory};
        code.traits.emits = emits;
        const std::string before = functions();
        EXPECT_TRUE(stepThroughGrid(shader, code));
        const Status valid = spirv::validate(spirv::write(shader.module));
        EXPECT_TRUE(valid) << valid.error().text();
        EXPECT_EQ(functions() != before, stepsInside(shader, code));
        return functions() != before;
    }

    static ModuleText staticGrid(const std::string& x = "%u4")
    {
        ModuleText module;
        module.body = kBarrier;
        module.modes =
            "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX " + x + " %u1 %u1";
        return module;
    }

    static ModuleText dynamicGrid()
    {
        ModuleText module = staticGrid();
        module.modes = "OpExecutionMode %main LocalSize 8 1 1";
        module.globals = R"(
            %GridArr = OpTypeNodePayloadArrayAMDX %Grid
            %np_GridArr = OpTypePointer NodePayloadAMDX %GridArr
            %grids = OpVariable %np_GridArr NodePayloadAMDX)";
        module.interface = "%grids %out %lidx";
        return module;
    }
};

}  // namespace

TEST_F(StepThroughGrid, ALoopInTheLoop)
{
    wrap(staticGrid());
    const std::string before = functions();
    ASSERT_TRUE(apply(graph::MemoryUse::Fits));
    const std::string after = functions();
    // The node's own code stays.
    EXPECT_EQ(after.substr(0, after.find("%main = ")), before.substr(0, before.find("%main = ")));
    EXPECT_TRUE(isSameCode(after.substr(after.find("OpFunctionCall %void %mr_begin")), R"(
        OpFunctionCall %void %mr_begin %low %high
        OpBranch %head
        %head = OpLabel
        OpLoopMerge %after %next None
        OpBranch %check
        %check = OpLabel
        %more = OpFunctionCall %bool %mr_next
        OpBranchConditional %more %inside %after
        %inside = OpLabel
        OpLoopMerge %done %step None
        OpBranch %body
        %body = OpLabel
        %ran = OpFunctionCall %void %node_main
        OpBranch %step
        %step = OpLabel
        %again = OpFunctionCall %bool %mr_step
        OpBranchConditional %again %inside %done
        %done = OpLabel
        OpBranch %next
        %next = OpLabel
        OpBranch %head
        %after = OpLabel
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(StepThroughGrid, SeveralWorkgroupsOfAPayload_InOneOfOurs)
{
    wrap(staticGrid("%u1"));
    EXPECT_FALSE(apply(graph::MemoryUse::Fits)) << "each payload has one workgroup";
    ModuleText beside = staticGrid();
    beside.body = "";
    wrap(beside);
    ASSERT_TRUE(graph::runsBeside(shader.node));
    EXPECT_FALSE(apply(graph::MemoryUse::Fits)) << "side by side";
    ModuleText coalescing = staticGrid();
    coalescing.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main CoalescingAMDX";
    wrap(coalescing);
    EXPECT_FALSE(apply(graph::MemoryUse::Fits));
}

TEST_F(StepThroughGrid, EveryUseOfMemoryButLeaves)
{
    for (graph::MemoryUse memory : {graph::MemoryUse::Fits, graph::MemoryUse::Reserves}) {
        wrap(staticGrid());
        EXPECT_TRUE(apply(memory));
    }
    wrap(staticGrid());
    EXPECT_FALSE(apply(graph::MemoryUse::None));
}

TEST_F(StepThroughGrid, CodeWithLoops_StaysInOne)
{
    ModuleText module = staticGrid();
    module.body += kLoop;
    wrap(module);
    EXPECT_FALSE(apply(graph::MemoryUse::Fits));
}

TEST_F(StepThroughGrid, GridsOfPayloads_OnlyWhereNothingIsSent)
{
    wrap(dynamicGrid());
    EXPECT_FALSE(apply(graph::MemoryUse::Fits, abi::kEmitsToOne));
    EXPECT_TRUE(apply(graph::MemoryUse::Fits));
    wrap(staticGrid());
    EXPECT_TRUE(apply(graph::MemoryUse::Fits, abi::kEmitsToOne));
}

}  // namespace millrace::nodes
