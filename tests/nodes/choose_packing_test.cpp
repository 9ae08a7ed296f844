// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/choose_packing.h"

#include "nodes/pass_test.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"

namespace millrace::nodes {

namespace {

constexpr const char* kCoalescing = "OpExecutionMode %main CoalescingAMDX\n";

class Packing : public PassTest {
protected:
    uint32_t width(ModuleText module)
    {
        module.modes = std::string(kCoalescing) + "OpExecutionMode %main LocalSize 1 1 1\n" + module.modes;
        module.globals += R"(
            %Single = OpTypeNodePayloadArrayAMDX %Rec
            %np_Single = OpTypePointer NodePayloadAMDX %Single
            %single = OpVariable %np_Single NodePayloadAMDX)";
        module.annotations += "\nOpDecorateId %Single NodeMaxPayloadsAMDX %u1";
        module.interface += " %single";
        return widthOf(module);
    }

    uint32_t widthOf(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        run(choosePacking);
        return shader.node.decided.packWidth;
    }

    // Four workgroups of eight invocations.
    static ModuleText grid(const std::string& body = "")
    {
        ModuleText module;
        module.body = body;
        return module;
    }

    static ModuleText withSharedMemory(ModuleText module)
    {
        module.globals = "%wg_uint = OpTypePointer Workgroup %uint\n%shared = OpVariable %wg_uint Workgroup";
        module.interface += " %shared";
        return module;
    }

    static ModuleText plain()
    {
        ModuleText module;
        module.modes = "";
        module.interface = "%out %lidx";
        return module;
    }
};

}  // namespace

TEST_F(Packing, ThreadLaunch_IsPacked)
{
    EXPECT_EQ(width(plain()), 64u);
    options.target.packWidth = 0;
    EXPECT_EQ(width(plain()), 0u);
}

TEST_F(Packing, BarriersDoNotMatter)
{
    ModuleText module = plain();
    module.globals = "%acqrel = OpConstant %uint 264";
    module.body = "OpControlBarrier %u2 %u2 %acqrel";
    EXPECT_EQ(width(module), 64u);
}

TEST_F(Packing, SharedMemory_IsNotPacked)
{
    EXPECT_EQ(width(withSharedMemory(plain())), 0u);
}

TEST_F(Packing, SubgroupOperation_IsNotPacked)
{
    ModuleText module = plain();
    module.capabilities = "OpCapability GroupNonUniform";
    module.body = "%elected = OpGroupNonUniformElect %bool %u3";
    EXPECT_EQ(width(module), 0u);
}

TEST_F(Packing, SubgroupBuiltIn_IsNotPacked)
{
    ModuleText module = plain();
    module.capabilities = "OpCapability GroupNonUniform";
    module.annotations = "OpDecorate %sgid BuiltIn SubgroupLocalInvocationId";
    module.globals = "%sgid = OpVariable %in_uint Input";
    module.interface += " %sgid";
    EXPECT_EQ(width(module), 0u);
}

TEST_F(Packing, Loose_IsSideBySide)
{
    EXPECT_EQ(widthOf(grid()), 8u);
    EXPECT_TRUE(graph::runsBeside(shader.node));
    EXPECT_EQ(graph::invocationsPerGroup(shader.node), 64u);
    options.target.staticInvocations = 256;
    EXPECT_EQ(widthOf(grid()), 32u);
    options.target.staticInvocations = 4;
    EXPECT_EQ(widthOf(grid()), 1u) << "alone, but loose";
    EXPECT_TRUE(graph::isLoose(shader.node));
    EXPECT_FALSE(graph::runsBeside(shader.node));
}

TEST_F(Packing, RowsThatTheHostDoesNotLaunch_AreOneAfterTheOther)
{
    ModuleText module = grid();
    module.modes += "\nOpExecutionModeId %main IsApiEntryAMDX %false";
    options.target.minSubgroupSize = 32;
    EXPECT_EQ(widthOf(module), 4u) << "a subgroup's";
    options.target.minSubgroupSize = 4;
    EXPECT_EQ(widthOf(module), 1u);
    EXPECT_TRUE(graph::isLoose(shader.node));
    EXPECT_EQ(widthOf(grid()), 8u);
}

TEST_F(Packing, Loose_DoesRowsByItsLoops)
{
    options.target.leafRows = 5;
    options.target.loopingLeafRows = 3;
    widthOf(grid());
    EXPECT_EQ(shader.node.decided.leafRows, 5u);
    widthOf(grid(kLoop));
    EXPECT_EQ(shader.node.decided.leafRows, 3u);
    widthOf(grid("%h = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0"));
    EXPECT_EQ(shader.node.decided.leafRows, 1u);
}

TEST_F(Packing, SmallSenders_AreSideBySide)
{
    const char* const alone = "%h = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u1 %u0";
    EXPECT_EQ(widthOf(grid(alone)), 8u);
    EXPECT_TRUE(graph::runsBeside(shader.node));
    options.target.sendingInvocations = 16;
    EXPECT_EQ(widthOf(grid(alone)), 2u);
    options.target.sendingInvocations = 15;
    EXPECT_EQ(widthOf(grid(alone)), 0u);
    EXPECT_FALSE(graph::isLoose(shader.node));
}

TEST_F(Packing, WhatIsCountedForAWorkgroup_KeepsIt)
{
    options.variant.checkBudgets = true;
    EXPECT_EQ(widthOf(grid("%h = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u1 %u0")), 0u);
    EXPECT_EQ(widthOf(grid()), 8u);
}

TEST_F(Packing, WhatAWorkgroupSendsTogether_KeepsIt)
{
    EXPECT_EQ(widthOf(grid("%h = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0")), 0u);
    EXPECT_EQ(widthOf(grid("%h = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u1 %u0\n"
                           "%j = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0")),
              0u);
    ModuleText single = grid("%h = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0");
    single.modes = "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u4 %u1 %u1";
    EXPECT_EQ(widthOf(single), 64u) << "alone anyway";
}

TEST_F(Packing, WhoSendsMuch_IsAlone)
{
    ModuleText module = grid("%h = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u1 %u0");
    EXPECT_EQ(widthOf(module), 8u);
    module.body += "\n%j = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u1 %u0";
    EXPECT_EQ(widthOf(module), 0u) << "16 and 8";
    module = grid("%h = OpAllocateNodePayloadsAMDX %np_ToLarge %u4 %u1 %u0");
    module.annotations = R"(
        OpDecorate %Words ArrayStride 4
        OpMemberDecorate %Large 0 Offset 0
        OpDecorateId %ToLarge NodeMaxPayloadsAMDX %u4
        OpDecorateId %ToLarge PayloadNodeNameAMDX %name_other)";
    module.globals = R"(
        %length = OpConstant %uint 64
        %Words = OpTypeArray %uint %length
        %Large = OpTypeStruct %Words
        %ToLarge = OpTypeNodePayloadArrayAMDX %Large
        %np_ToLarge = OpTypePointer NodePayloadAMDX %ToLarge)";
    EXPECT_EQ(widthOf(module), 8u) << "4 of 256 bytes";
    module.globals.replace(module.globals.find("64"), 2, "65");
    EXPECT_EQ(widthOf(module), 0u) << "4 of 260 bytes";
}

TEST_F(Packing, BarrierKeepsWorkgroupTogether)
{
    ModuleText module = grid("OpControlBarrier %u2 %u2 %acqrel");
    module.globals = "%acqrel = OpConstant %uint 264";
    EXPECT_EQ(widthOf(module), 0u);
}

TEST_F(Packing, SharedMemoryKeepsWorkgroupTogether)
{
    EXPECT_EQ(widthOf(withSharedMemory(grid())), 0u);
}

TEST_F(Packing, CountedOrIndirectIsAlone)
{
    options.variant.counted = true;
    EXPECT_EQ(widthOf(grid()), 0u);
    options.variant.counted = false;
    options.variant.indirect = true;
    EXPECT_EQ(widthOf(grid()), 0u);
}

TEST_F(Packing, ChosenDescriptors_AreNonUniform)
{
    ModuleText module = plain();
    module.capabilities = "OpCapability StorageBufferArrayDynamicIndexing";
    module.annotations = "OpDecorate %many DescriptorSet 0\nOpDecorate %many Binding 1";
    module.globals = R"(
        %Outs = OpTypeArray %Out %u4
        %sb_Outs = OpTypePointer StorageBuffer %Outs
        %many = OpVariable %sb_Outs StorageBuffer)";
    module.interface += " %many";
    module.body = R"(
        %which = OpLoad %uint %lidx
        %chosen = OpAccessChain %sb_Out %many %which
        %word = OpAccessChain %sb_uint %chosen %u0 %u0
        OpStore %word %u1)";
    EXPECT_EQ(width(module), 0u) << "the device does not take different ones";
    EXPECT_EQ(text().find("NonUniform"), std::string::npos);
    options.target.nonUniformIndexing = true;
    EXPECT_EQ(width(module), 64u);
    EXPECT_TRUE(has("OpCapability StorageBufferArrayNonUniformIndexing"));
    EXPECT_EQ(shader.module.section(spirv::Section::Annotations).back().literal(1),
              static_cast<uint32_t>(spv::Decoration::NonUniform));
    module.body = "%chosen = OpAccessChain %sb_Out %many %u2";
    options.target.nonUniformIndexing = false;
    EXPECT_EQ(width(module), 64u) << "all choose the same";
}

}  // namespace millrace::nodes
