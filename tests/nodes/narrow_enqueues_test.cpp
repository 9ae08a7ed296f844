// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/narrow_enqueues.h"

#include "nodes/pass_test.h"
#include "nodes/passes/enqueue_forgotten_payloads.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

class NarrowEnqueues : public PassTest {
protected:
    void lower(const std::string& body)
    {
        ModuleText module;
        module.body = body;
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        run(lowerPayloads);
    }

    // As wrapEntryPoint enqueues what was forgotten.
    void lowerForgotten()
    {
        lower("%a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u1 %u0");
        run(enqueueForgottenPayloads);
        spirv::InstructionList& body = shader.module.functions.front().blocks.back().body;
        const spirv::Instruction last = body.back();
        body.pop_back();
        spirv::Emitter out(shader.module, body);
        const spirv::Id type = shader.module.getVectorType(shader.module.getIntType(32, false), 4);
        const spirv::Id handle = out.emit(spv::Op::OpLoad, type, {shader.pendingHandles[0].variable});
        shader.device.call(out, DeviceFunction::Enqueue, {handle});
        shader.device.declare(shader.module);
        body.push_back(last);
    }

    void apply(std::optional<std::vector<bool>> gridOutputs)
    {
        Code code;
        code.traits.gridOutputs = std::move(gridOutputs);
        ASSERT_TRUE(narrowEnqueues(shader, code));
        const Status valid = spirv::validate(spirv::write(shader.module));
        EXPECT_TRUE(valid) << valid.error().text();
        const std::string once = functions();
        ASSERT_TRUE(narrowEnqueues(shader, code));
        EXPECT_EQ(functions(), once) << "a second run changes nothing";
    }

    void expect(const std::string& body)
    {
        EXPECT_TRUE(isSameCode(functions(), "%main = OpFunction %void None %func\n%entry = OpLabel\n" + body +
                                                "\nOpReturn\nOpFunctionEnd\n"));
    }
};

// Output 0 for each invocation, output 1 for the workgroup.
constexpr const char* kTwoOutputs = R"(
    %a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u1 %u0
    OpEnqueueNodePayloadsAMDX %a
    %b = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
    OpEnqueueNodePayloadsAMDX %b)";

}  // namespace

TEST_F(NarrowEnqueues, UnknownGraph_KeepsAllAndTellsScopes)
{
    lower(kTwoOutputs);
    apply(std::nullopt);
    expect(R"(
        %a = OpFunctionCall %v4uint %mr_allocate_invocation %uint_0 %uint_1 %uint_0
        %1 = OpFunctionCall %void %mr_enqueue_invocation %a
        %b = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_1 %uint_1 %uint_0
        %2 = OpFunctionCall %void %mr_enqueue_workgroup %b)");
}

TEST_F(NarrowEnqueues, OutputWithoutGrids_IsNotEnqueued)
{
    lower(kTwoOutputs);
    apply(std::vector<bool>{false, true});
    expect(R"(
        %a = OpFunctionCall %v4uint %mr_allocate_invocation %uint_0 %uint_1 %uint_0
        %b = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_1 %uint_1 %uint_0
        %2 = OpFunctionCall %void %mr_enqueue_workgroup %b)");
}

TEST_F(NarrowEnqueues, NoGridsAtAll)
{
    lower(kTwoOutputs);
    apply(std::vector<bool>{false, false});
    expect(R"(
        %a = OpFunctionCall %v4uint %mr_allocate_invocation %uint_0 %uint_1 %uint_0
        %b = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_1 %uint_1 %uint_0)");
}

TEST_F(NarrowEnqueues, ForgottenPayload_TellsItsScope)
{
    lowerForgotten();
    apply(std::nullopt);
    EXPECT_NE(functions().find("%mr_enqueue_invocation "), std::string::npos) << functions();
}

TEST_F(NarrowEnqueues, ForgottenPayloadWithoutGrid_IsNotEnqueued)
{
    lowerForgotten();
    apply(std::vector<bool>{false});
    EXPECT_EQ(functions().find("%mr_enqueue"), std::string::npos) << functions();
}

TEST_F(NarrowEnqueues, NoModifyHandleFromVariable)
{
    lower(R"(
        %var = OpVariable %fn_ToArr Function
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %var %v
        OpEnqueueNodePayloadsAMDX %var)");
    const std::string before = functions();
    apply(std::vector<bool>{false});
    EXPECT_EQ(functions(), before);
}

}  // namespace millrace::nodes
