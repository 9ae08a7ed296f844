// SPDX-License-Identifier: Apache-2.0
#include "compiler/solo.h"

#include "compiler/pass_test.h"
#include "spirv/tools.h"

namespace millrace::compiler {

namespace {

// For each invocation of its own, or for the workgroup.
std::string sends(const std::string& scope)
{
    return "%payloads = OpAllocateNodePayloadsAMDX %np_ToRec %" + scope +
           " %u1 %u0\n"
           "OpEnqueueNodePayloadsAMDX %payloads\n";
}
const std::string kSends = sends("u4");
const std::string kSendsTogether = sends("u2");

const char* const kStoresLane = R"(
    %lane = OpLoad %uint %lidx
    %at = OpAccessChain %sb_uint %out %u0 %lane
    OpStore %at %u7
)";

ModuleText node(const std::string& body, const std::string& size = "8 1 1")
{
    ModuleText module;
    module.body = body;
    module.modes = "OpExecutionMode %main LocalSize " + size +
                   "\n"
                   "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u4 %u1 %u1";
    return module;
}

ModuleText withPushConstants(ModuleText module, const std::string& offset)
{
    module.interface += " %push";
    module.names += "OpName %push \"push\"\n";
    module.annotations += "OpDecorate %Push Block\nOpMemberDecorate %Push 0 Offset " + offset + "\n";
    module.globals +=
        "%Push = OpTypeStruct %uint\n"
        "%pc_Push = OpTypePointer PushConstant %Push\n"
        "%pc_uint = OpTypePointer PushConstant %uint\n"
        "%push = OpVariable %pc_Push PushConstant\n";
    module.body +=
        "%pushed = OpAccessChain %pc_uint %push %u0\n"
        "%number = OpLoad %uint %pushed\n"
        "%first = OpAccessChain %sb_uint %out %u0 %u0\n"
        "OpStore %first %number\n";
    return module;
}

size_t count(const std::string& text, const std::string& what)
{
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        found++;
    }
    return found;
}

// From "%name = OpFunction" to its end.
std::string functionOf(const std::string& text, const std::string& name)
{
    const size_t begin = text.find("%" + name + " = OpFunction ");
    return begin == std::string::npos ? "no " + name
                                      : text.substr(begin, text.find("OpFunctionEnd", begin) + 13 - begin);
}

class Solo : public testing::Test {
protected:
    Solo()
    {
        options.validate = true;
        options.argumentsOffsetBytes = 8;
    }

    void add(const ModuleText& module) { m_words.push_back(module.words()); }

    Result<SoloModule> make() const
    {
        std::vector<SoloSource> sources;
        for (const spirv::Words& words : m_words) {
            sources.push_back({words, options});
        }
        return makeSolo(sources, limits);
    }

    SoloModule made() const
    {
        auto out = make();
        EXPECT_TRUE(out) << (out ? "" : out.error().text());
        return out ? std::move(*out) : SoloModule{};
    }

    std::string text() const
    {
        const SoloModule module = made();
        return module.words.empty() ? "" : *spirv::disassemble(module.words);
    }

    std::string refusal() const
    {
        const auto out = make();
        return out ? "it was made" : out.error().text();
    }

    Options options;
    SoloLimits limits{.invocations = 1024, .sharedBytes = 32 * 1024};

private:
    std::vector<spirv::Words> m_words;
};

TEST_F(Solo, OneNode_IsCalledForEachSlot)
{
    add(node(kSends));
    EXPECT_TRUE(isSameCode(functionOf(text(), "main"), R"(
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
        %more = OpFunctionCall %bool %mr_solo_next
        OpBranchConditional %more %body %after
        %body = OpLabel
        %called = OpFunctionCall %void %node_0
        OpBranch %next
        %next = OpLabel
        OpBranch %head
        %after = OpLabel
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(Solo, SeveralNodes_AreChosenByTheirNumber)
{
    add(node(kSends));
    add(node(kStoresLane));
    add(node(kStoresLane, "4 1 1"));
    const std::string main = functionOf(text(), "main");
    EXPECT_EQ(count(main, "OpSwitch"), 1u);
    EXPECT_EQ(count(main, "OpFunctionCall %void %node_0"), 1u);
    EXPECT_EQ(count(main, "OpFunctionCall %void %node_1"), 1u);
    EXPECT_EQ(count(main, "OpFunctionCall %void %node_2"), 1u);
}

TEST_F(Solo, DeviceFunctions_AreThereOnce)
{
    add(node(kSends));
    add(node(kSends));
    const std::string all = text();
    EXPECT_EQ(count(all, "%mr_next = OpFunction "), 1u);
    EXPECT_EQ(count(all, "%mr_allocate_invocation = OpFunction "), 1u);
    EXPECT_EQ(count(all, "OpEntryPoint"), 1u);
    EXPECT_EQ(count(all, "LinkageAttributes"), 0u);
}

TEST_F(Solo, NodeWithoutBarriers_RunsWhereItHasPayloads)
{
    add(node(kStoresLane));
    const std::string code = functionOf(text(), "node_0");
    EXPECT_EQ(count(code, "OpFunctionCall %bool %mr_active"), 1u);
    EXPECT_EQ(count(code, "%mr_begin"), 0u);
    EXPECT_EQ(count(code, "OpUMod %uint"), 1u) << "its invocations count from 0 in each of its workgroups";
}

TEST_F(Solo, NodeWithoutBarriers_LeavesRoomForOthersBesideIt)
{
    add(node(kSends));
    add(node(kStoresLane, "4 1 1"));
    const SoloModule module = made();
    EXPECT_EQ(module.shape.invocations, 256u);
    ASSERT_EQ(module.shape.codes.size(), 2u);
    EXPECT_EQ(module.shape.codes[0].invocations, 8u);
    EXPECT_EQ(module.shape.codes[1].invocations, 4u);
    for (const graph::SoloCode& code : module.shape.codes) {
        EXPECT_FALSE(code.isCollective);
        EXPECT_TRUE(code.runsBeside);
    }
}

TEST_F(Solo, NodeThatSendsTogether_HasAllInvocations)
{
    add(node(kSendsTogether));
    const SoloModule module = made();
    EXPECT_EQ(module.shape.invocations, 8u);
    EXPECT_TRUE(module.shape.codes[0].isCollective);
    EXPECT_FALSE(module.shape.codes[0].runsBeside);
    EXPECT_EQ(count(functionOf(*spirv::disassemble(module.words), "node_0"), "%mr_active"), 0u);
}

TEST_F(Solo, SmallerNodes_MayStandBesideOneThatSendsTogether)
{
    add(node(kSendsTogether));
    add(node(kStoresLane, "2 1 1"));
    const SoloModule module = made();
    EXPECT_EQ(module.shape.invocations, 8u);
    EXPECT_TRUE(module.shape.codes[1].runsBeside);
}

TEST_F(Solo, SingleInvocation_WaitsForNobody)
{
    ModuleText single = node("OpControlBarrier %u2 %u2 %order\n", "1 1 1");
    single.globals = "%order = OpConstant %uint 264\n";
    add(single);
    add(node(kSendsTogether, "8 1 1"));
    const SoloModule module = made();
    EXPECT_FALSE(module.shape.codes[0].isCollective);
    const std::string code = functionOf(*spirv::disassemble(module.words), "node_main");
    EXPECT_EQ(count(code, "OpMemoryBarrier"), 1u);
    EXPECT_EQ(count(code, "OpControlBarrier"), 0u);
}

TEST_F(Solo, SingleInvocation_AllocatesAlone)
{
    add(node(kSendsTogether, "1 1 1"));
    add(node(kSendsTogether, "8 1 1"));
    const SoloModule module = made();
    const std::string all = *spirv::disassemble(module.words);
    EXPECT_FALSE(module.shape.codes[0].isCollective);
    EXPECT_EQ(count(functionOf(all, "node_main"), "%mr_allocate_alone"), 1u);
    EXPECT_EQ(count(functionOf(all, "node_main_0"), "%mr_allocate_workgroup"), 1u);
}

TEST_F(Solo, NodesThatWaitForTheirInvocations_HaveOneSize)
{
    add(node(kSendsTogether, "8 1 1"));
    add(node(kSendsTogether, "4 1 1"));
    EXPECT_NE(refusal().find("workgroups of 8 and 4 invocations"), std::string::npos) << refusal();
}

TEST_F(Solo, LargerNode_StandsBesideNoneThatWaits)
{
    add(node(kSendsTogether, "8 1 1"));
    add(node(kStoresLane, "16 1 1"));
    EXPECT_NE(refusal().find("a workgroup of 16 invocations"), std::string::npos) << refusal();
}

TEST_F(Solo, EqualPushConstants_BecomeOneBlock)
{
    add(withPushConstants(node(kSends), "0"));
    add(withPushConstants(node(kStoresLane), "0"));
    const std::string all = text();
    EXPECT_EQ(count(all, "OpVariable %_ptr_PushConstant"), 1u);
    EXPECT_NE(functionOf(all, "main").find("OpAccessChain %_ptr_PushConstant_v2uint %push %uint_1"), std::string::npos)
        << "the arguments stand behind the application's member";
}

TEST_F(Solo, PushConstantsOfOneNode_AreTheOnlyBlock)
{
    add(node(kSends));
    add(withPushConstants(node(kStoresLane), "0"));
    EXPECT_EQ(count(text(), "OpVariable %_ptr_PushConstant"), 1u);
}

TEST_F(Solo, OtherPushConstants_AreNotMixed)
{
    add(withPushConstants(node(kSends), "0"));
    add(withPushConstants(node(kStoresLane), "4"));
    EXPECT_NE(refusal().find("different blocks of push constants"), std::string::npos) << refusal();
}

TEST_F(Solo, PushConstantsInMemory_NeedNoBlock)
{
    options.pushConstantsInMemory = true;
    add(withPushConstants(node(kSends), "0"));
    add(withPushConstants(node(kStoresLane), "4"));
    EXPECT_EQ(count(text(), "OpVariable %_ptr_PushConstant"), 1u);
}

TEST_F(Solo, ReadOnlyBuffers_MayBeWrittenByOthers)
{
    ModuleText reads = node(kStoresLane);
    reads.annotations += "OpDecorate %out Restrict\n";
    add(reads);
    add(node(kSends));
    EXPECT_EQ(count(text(), " Restrict"), 0u);
}

TEST_F(Solo, WorkgroupMemory_MustFit)
{
    ModuleText large = node(kStoresLane);
    large.interface += " %shared";
    large.globals +=
        "%u6000 = OpConstant %uint 6000\n"
        "%Large = OpTypeArray %uint %u6000\n"
        "%wg_Large = OpTypePointer Workgroup %Large\n"
        "%wg_uint = OpTypePointer Workgroup %uint\n"
        "%shared = OpVariable %wg_Large Workgroup\n";
    large.body += "%place = OpAccessChain %wg_uint %shared %u0\nOpStore %place %u1\n";
    add(large);
    EXPECT_NE(refusal().find("24000 bytes of workgroup memory"), std::string::npos) << refusal();
    limits.sharedBytes = 48 * 1024;
    EXPECT_TRUE(made().shape.codes[0].isCollective);
}

// Of buffers, workgroup memory and, where nodes could write some, images.
TEST_F(Solo, Levels_OrderImagesWhereThereAreSome)
{
    add(node(kStoresLane));
    const std::string without = text();
    EXPECT_GT(count(without, "%uint_328"), 0u);
    EXPECT_EQ(count(without, "%uint_2376"), 0u);
    ModuleText module = node(kStoresLane + std::string(R"(
        %where = OpLoad %image2d %image
        OpImageWrite %where %place %texel)"));
    module.annotations = "OpDecorate %image DescriptorSet 0\nOpDecorate %image Binding 7\n";
    module.globals = R"(
        %image2d = OpTypeImage %uint 2D 0 0 0 2 R32ui
        %uc_image = OpTypePointer UniformConstant %image2d
        %place = OpConstantComposite %uint2 %u1 %u3
        %texel = OpConstantComposite %uint4 %u1 %u1 %u1 %u1
        %image = OpVariable %uc_image UniformConstant)";
    module.interface += " %image";
    add(module);
    const std::string with = text();
    EXPECT_GT(count(with, "%uint_2376"), 0u);
    EXPECT_EQ(count(with, "%uint_328"), 0u);
}

TEST_F(Solo, MemoryModels_AreNotMixed)
{
    ModuleText other = node(kStoresLane);
    other.capabilities = "OpCapability VulkanMemoryModel\n";
    other.memoryModel = "OpMemoryModel Logical Vulkan";
    add(node(kSends));
    add(other);
    EXPECT_NE(refusal().find("its memory model is not that of the others"), std::string::npos) << refusal();
}

TEST_F(Solo, ExecutionModes_AreNotMixed)
{
    ModuleText other = node(kStoresLane);
    other.capabilities = "OpCapability SignedZeroInfNanPreserve\n";
    other.modes += "\nOpExecutionMode %main SignedZeroInfNanPreserve 32";
    add(node(kSends));
    add(other);
    EXPECT_NE(refusal().find("its execution modes are not those of the others"), std::string::npos) << refusal();
}

}  // namespace

}  // namespace millrace::compiler
