// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/run_once.h"

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

class RunOnce : public PassTest {
protected:
    void wrap(const std::string& body)
    {
        ModuleText module;
        module.body = body;
        load(module);
        runAll({reflectNode, reflectOutputs, choosePacking, lowerBuiltIns, lowerPayloads, lowerPushConstants,
                wrapEntryPoint});
    }

    void apply(graph::MemoryUse memory)
    {
        const Code code{.memory = memory};
        ASSERT_TRUE(runOnce(shader, code));
        const Status valid = spirv::validate(spirv::write(shader.module));
        EXPECT_TRUE(valid) << valid.error().text();
    }

    bool hasLoop() const { return functions().find("OpLoopMerge") != std::string::npos; }
};

constexpr const char* kBarrier = "OpControlBarrier %u2 %u2 %u0";

}  // namespace

TEST_F(RunOnce, Loop_BecomesABranch)
{
    wrap(kBarrier);
    const std::string before = functions();
    EXPECT_TRUE(hasLoop());
    apply(graph::MemoryUse::None);
    const std::string after = functions();
    // The node's own code stays.
    EXPECT_EQ(after.substr(0, after.find("%main = ")), before.substr(0, before.find("%main = ")));
    EXPECT_TRUE(isSameCode(after.substr(after.find("OpFunctionCall %void %mr_begin")), R"(
        OpFunctionCall %void %mr_begin %low %high
        OpBranch %head
        %head = OpLabel
        OpBranch %check
        %check = OpLabel
        %more = OpFunctionCall %bool %mr_next
        OpSelectionMerge %after None
        OpBranchConditional %more %body %after
        %body = OpLabel
        %ran = OpFunctionCall %void %node_main
        OpBranch %next
        %next = OpLabel
        OpBranch %after
        %after = OpLabel
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(RunOnce, OtherUsesOfMemory_Loop)
{
    wrap(kBarrier);
    const std::string before = functions();
    for (graph::MemoryUse memory : {graph::MemoryUse::Fits, graph::MemoryUse::Reserves}) {
        apply(memory);
        EXPECT_EQ(functions(), before);
    }
}

// Workgroups stride over the rows of a grid.
TEST_F(RunOnce, SeveralRows_Loop)
{
    wrap("");
    ASSERT_GT(shader.node.decided.leafRows, 1u);
    apply(graph::MemoryUse::None);
    EXPECT_TRUE(hasLoop());
}

TEST_F(RunOnce, CodeWithALoop_IsNotInOne)
{
    wrap(kLoop);
    apply(graph::MemoryUse::None);
    const std::string all = functions();
    EXPECT_EQ(all.find("OpLoopMerge"), all.rfind("OpLoopMerge")) << "its own";
}

}  // namespace millrace::nodes
