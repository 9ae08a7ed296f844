// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/upgrade_module.h"

#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

class UpgradeModule : public PassTest {
protected:
    void upgrade(const ModuleText& module)
    {
        load(module);
        run(upgradeModule);
        EXPECT_EQ(shader.module.version, 0x00010600u);
    }
};

}  // namespace

TEST_F(UpgradeModule, NoModifyCurrentModules)
{
    load({});
    const std::string before = text();
    run(upgradeModule);
    EXPECT_EQ(text(), before);
}

TEST_F(UpgradeModule, Interface_ListsAllGlobals)
{
    ModuleText module;
    module.version = 0x00010300;
    module.interface = "%lidx";
    module.body = R"(
        %i = OpLoad %uint %lidx
        %n = OpNodePayloadArrayLengthAMDX %uint %input
        %p = OpAccessChain %sb_uint %out %u0 %i
        OpStore %p %n)";
    upgrade(module);
    EXPECT_TRUE(has("OpEntryPoint GLCompute %main \"main\" %input %out %lidx")) << text();
}

TEST_F(UpgradeModule, Interface_KeepsInputsThatNothingReads)
{
    ModuleText module;
    module.version = 0x00010400;
    module.interface = "%input %lidx";
    upgrade(module);
    EXPECT_TRUE(has("OpEntryPoint GLCompute %main \"main\" %input")) << text();
}

TEST_F(UpgradeModule, Interface_GetsInputsThatNothingReads)
{
    ModuleText module;
    module.version = 0x00010300;
    module.interface = "%lidx";
    upgrade(module);
    EXPECT_TRUE(has("OpEntryPoint GLCompute %main \"main\" %input")) << text();
}

TEST_F(UpgradeModule, BufferBlock_BecomesStorageBuffer)
{
    ModuleText module;
    module.version = 0x00010300;
    module.names = "OpName %Old \"Old\"\nOpName %old \"old\"";
    module.annotations = R"(
        OpDecorate %Old BufferBlock
        OpMemberDecorate %Old 0 Offset 0
        OpDecorate %old DescriptorSet 0
        OpDecorate %old Binding 1)";
    module.globals = R"(
        %Old = OpTypeStruct %words
        %olds = OpTypeArray %Old %u2
        %un_olds = OpTypePointer Uniform %olds
        %un_Old = OpTypePointer Uniform %Old
        %un_uint = OpTypePointer Uniform %uint
        %old = OpVariable %un_olds Uniform)";
    module.interface = "";
    module.body = R"(
        %b = OpAccessChain %un_Old %old %u1
        %p = OpAccessChain %un_uint %b %u0 %u3
        %v = OpLoad %uint %p
        OpStore %p %v)";
    upgrade(module);
    EXPECT_TRUE(has("OpDecorate %Old Block"));
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %b = OpAccessChain %_ptr_StorageBuffer_Old %old %uint_1
        %p = OpAccessChain %_ptr_StorageBuffer_uint %b %uint_0 %uint_3
        %v = OpLoad %uint %p
        OpStore %p %v
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(UpgradeModule, BranchToOneLabel_LosesItsCondition)
{
    ModuleText module;
    module.body = R"(
        OpSelectionMerge %join None
        OpBranchConditional %true %then %join
        %then = OpLabel
        OpBranch %join
        %join = OpLabel)";
    load(module);
    auto& body = shader.module.functions[0].blocks[0].body;
    body.back().setId(1, body.back().id(2));
    run(upgradeModule);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        OpBranch %join
        %then = OpLabel
        OpBranch %join
        %join = OpLabel
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(UpgradeModule, DebugInformation_Goes)
{
    ModuleText module;
    module.extensions = R"(
        OpExtension "SPV_KHR_non_semantic_info"
        %debug = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
        %print = OpExtInstImport "NonSemantic.DebugPrintf")";
    module.names = "%file = OpString \"a.hlsl\"\n%format = OpString \"%u\"";
    module.globals = "%source = OpExtInst %void %debug DebugSource %file";
    module.body = R"(
        %line = OpExtInst %void %debug DebugNoScope
        %said = OpExtInst %void %print 1 %format %u1)";
    upgrade(module);
    EXPECT_EQ(text().find("DebugSource"), std::string::npos);
    EXPECT_EQ(text().find("DebugNoScope"), std::string::npos);
    EXPECT_NE(functions().find("OpExtInst"), std::string::npos) << "not debug information: DebugPrintf";
}

}  // namespace millrace::nodes
