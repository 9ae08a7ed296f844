// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/make_payloads_coherent.h"

#include "nodes/pass_test.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"

namespace millrace::nodes {

namespace {

class MakePayloadsCoherent : public PassTest {
protected:
    void apply(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        run(makePayloadsCoherent);
    }

    static ModuleText vulkanModel(const std::string& body)
    {
        ModuleText module;
        module.capabilities = "OpCapability VulkanMemoryModel";
        module.memoryModel = "OpMemoryModel Logical Vulkan";
        module.body = body;
        return module;
    }

    bool isCoherent(std::string_view type) { return has("OpMemberDecorate %" + std::string(type) + " 0 Coherent"); }
};

constexpr const char* kReadInput = R"(
    %p = OpAccessChain %np_uint %input %u0 %u1
    %v = OpLoad %uint %p)";
constexpr const char* kWriteInput = R"(
    %p = OpAccessChain %np_uint %input %u0 %u1
    %v = OpLoad %uint %p
    OpStore %p %v)";
constexpr const char* kUseOutput = R"(
    %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
    %p = OpAccessChain %np_uint %a %u0 %u1
    OpStore %p %u5
    %v = OpLoad %uint %p)";

}  // namespace

TEST_F(MakePayloadsCoherent, NoModifyReadOnlyInput)
{
    ModuleText module;
    module.body = kReadInput;
    apply(module);
    EXPECT_EQ(text().find("Coherent"), std::string::npos);
    apply(vulkanModel(kReadInput));
    EXPECT_EQ(text().find("NonPrivatePointer"), std::string::npos);
}

TEST_F(MakePayloadsCoherent, WrittenInput_IsCoherent)
{
    ModuleText module;
    module.body = kWriteInput;
    apply(module);
    EXPECT_TRUE(isCoherent("Rec"));
    EXPECT_TRUE(has("OpMemberDecorate %Rec 1 Coherent"));
    EXPECT_FALSE(isCoherent("Grid"));
}

TEST_F(MakePayloadsCoherent, FinishWriting_IsCoherent)
{
    ModuleText module;
    module.annotations = "OpDecorate %Rec TrackFinishWritingAMDX";
    module.body = "%last = OpFinishWritingNodePayloadAMDX %bool %input";
    apply(module);
    EXPECT_TRUE(isCoherent("Rec"));
}

TEST_F(MakePayloadsCoherent, OutputThatIsRead_IsCoherent)
{
    ModuleText module;
    module.body = kUseOutput;
    apply(module);
    EXPECT_TRUE(isCoherent("Grid"));
    EXPECT_FALSE(isCoherent("Rec"));
}

TEST_F(MakePayloadsCoherent, BarePayload_IsVolatile)
{
    ModuleText module;
    module.globals = "%bare = OpVariable %np_uint NodePayloadAMDX";
    module.interface = "%bare";
    module.body = "OpStore %bare %u3";
    apply(module);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        OpStore %bare %uint_3 Volatile
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(MakePayloadsCoherent, VulkanModel_InputReachesAllWorkgroups)
{
    apply(vulkanModel(kWriteInput));
    EXPECT_EQ(text().find(" Coherent"), std::string::npos);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %p = OpAccessChain %_ptr_NodePayloadAMDX_uint %input %uint_0 %uint_1
        %v = OpLoad %uint %p MakePointerVisible|NonPrivatePointer %uint_5
        OpStore %p %v MakePointerAvailable|NonPrivatePointer %uint_5
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(MakePayloadsCoherent, VulkanModel_CoalescedInputReachesTheWorkgroup)
{
    ModuleText module = vulkanModel(kWriteInput);
    module.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main CoalescingAMDX";
    apply(module);
    EXPECT_NE(functions().find("MakePointerVisible|NonPrivatePointer %uint_2"), std::string::npos);
}

TEST_F(MakePayloadsCoherent, VulkanModel_OutputReachesTheWorkgroup)
{
    apply(vulkanModel(kUseOutput));
    EXPECT_NE(functions().find("MakePointerAvailable|NonPrivatePointer %uint_2"), std::string::npos);
    EXPECT_NE(functions().find("MakePointerVisible|NonPrivatePointer %uint_2"), std::string::npos);
}

TEST_F(MakePayloadsCoherent, VulkanModel_GivenScopesStay)
{
    apply(vulkanModel(R"(
        %p = OpAccessChain %np_uint %input %u0 %u1
        OpStore %p %u5 MakePointerAvailable|NonPrivatePointer %u2)"));
    EXPECT_NE(functions().find("MakePointerAvailable|NonPrivatePointer %uint_2"), std::string::npos);
}

}  // namespace millrace::nodes
