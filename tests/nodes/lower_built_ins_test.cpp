// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/lower_built_ins.h"

#include "nodes/pass_test.h"
#include "nodes/passes/choose_packing.h"
#include "nodes/passes/reflect_node.h"

namespace millrace::nodes {

namespace {

class LowerBuiltIns : public PassTest {
protected:
    LowerBuiltIns() { options.target.staticInvocations = 8; }

    void lower(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        run(choosePacking);
        run(lowerBuiltIns);
    }

    std::vector<StartValue::Kind> kinds() const
    {
        std::vector<StartValue::Kind> out;
        for (const StartValue& start : shader.startValues)
            out.push_back(start.kind);
        return out;
    }

    static constexpr const char* kUseLocal = R"(
        %i = OpLoad %uint %lidx
        %l = OpLoad %uint3 %lid)";
};

}  // namespace

TEST_F(LowerBuiltIns, NoModifyLocalIds)
{
    ModuleText module;
    module.interface = "%out %lid %lidx";
    module.body = kUseLocal;
    lower(module);
    EXPECT_TRUE(shader.startValues.empty());
    EXPECT_TRUE(has("OpDecorate %lidx BuiltIn LocalInvocationIndex"));
    EXPECT_TRUE(has("OpDecorate %lid BuiltIn LocalInvocationId"));
}

TEST_F(LowerBuiltIns, WorkgroupIds_BecomePrivate)
{
    ModuleText module;
    module.body = R"(
        %w = OpLoad %uint3 %wgid
        %i = OpLoad %uint %lidx
        %p = OpAccessChain %in_uint %gid %i
        %x = OpLoad %uint %p)";
    lower(module);
    EXPECT_EQ(kinds(), (std::vector{StartValue::Kind::WorkgroupId, StartValue::Kind::GlobalInvocationId}));
    EXPECT_EQ(text().find("BuiltIn WorkgroupId"), std::string::npos);
    EXPECT_EQ(text().find("BuiltIn GlobalInvocationId"), std::string::npos);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %w = OpLoad %v3uint %wgid
        %i = OpLoad %uint %lidx
        %p = OpAccessChain %_ptr_Private_uint %gid %i
        %x = OpLoad %uint %p
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerBuiltIns, UnusedBuiltIns_AreNotSet)
{
    lower({});
    EXPECT_TRUE(shader.startValues.empty());
}

TEST_F(LowerBuiltIns, ExtensionsBuiltIns)
{
    ModuleText module;
    module.annotations = R"(
        OpDecorate %rest BuiltIn RemainingRecursionLevelsAMDX
        OpDecorate %index BuiltIn ShaderIndexAMDX)";
    module.globals = "%rest = OpVariable %in_uint Input\n%index = OpVariable %in_uint Input";
    module.interface += " %rest %index";
    module.body = "%r = OpLoad %uint %rest\n%i = OpLoad %uint %index";
    lower(module);
    EXPECT_EQ(kinds(), (std::vector{StartValue::Kind::RemainingRecursion, StartValue::Kind::ShaderIndex}));
    EXPECT_EQ(text().find("BuiltIn RemainingRecursionLevelsAMDX"), std::string::npos);
}

TEST_F(LowerBuiltIns, Coalescing_IsWorkgroupZero)
{
    ModuleText module;
    module.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main CoalescingAMDX";
    module.body = "%w = OpLoad %uint3 %wgid\n%g = OpLoad %uint3 %gid";
    lower(module);
    EXPECT_EQ(kinds(), (std::vector{StartValue::Kind::Constant, StartValue::Kind::GlobalInvocationId}));
}

TEST_F(LowerBuiltIns, Packed_IsInvocationZero)
{
    ModuleText module;
    module.modes = "OpExecutionMode %main LocalSize 1 1 1\nOpExecutionMode %main CoalescingAMDX";
    module.interface = "%wgid %gid %lid %lidx";
    module.body = std::string(kUseLocal) + "\n%w = OpLoad %uint3 %wgid\n%g = OpLoad %uint3 %gid";
    lower(module);
    EXPECT_EQ(shader.node.decided.packWidth, 64u);
    EXPECT_EQ(kinds(), std::vector(4, StartValue::Kind::Constant));
    EXPECT_EQ(text().find("BuiltIn"), std::string::npos);
}

TEST_F(LowerBuiltIns, SideBySide_IsComputed)
{
    ModuleText module;
    module.interface = "%out %lid %lidx";
    module.body = kUseLocal;
    options.target.staticInvocations = 64;
    lower(module);
    EXPECT_EQ(kinds(), (std::vector{StartValue::Kind::LocalInvocationId, StartValue::Kind::LocalInvocationIndex}));
}

TEST_F(LowerBuiltIns, SignedBuiltIn_IsConverted)
{
    ModuleText module;
    module.annotations = "OpDecorate %sid BuiltIn LocalInvocationId";
    module.globals = "%in_int3 = OpTypePointer Input %int3\n%sid = OpVariable %in_int3 Input";
    module.interface = "%sid";
    module.body = "%l = OpLoad %int3 %sid";
    lower(module);
    ASSERT_EQ(kinds(), std::vector{StartValue::Kind::BuiltIn});
    EXPECT_EQ(shader.module.name(shader.startValues[0].source), "lid") << "the unsigned one that is there";
}

TEST_F(LowerBuiltIns, WorkgroupSizeConstant_IsPlain)
{
    ModuleText module;
    module.annotations = "OpDecorate %size BuiltIn WorkgroupSize";
    module.globals = "%size = OpConstantComposite %uint3 %u2 %u3 %u1";
    lower(module);
    EXPECT_EQ(text().find("BuiltIn WorkgroupSize"), std::string::npos);
}

TEST_F(LowerBuiltIns, NumWorkgroups_IsRefused)
{
    ModuleText module;
    module.annotations = "OpDecorate %count BuiltIn NumWorkgroups";
    module.globals = "%count = OpVariable %in_uint3 Input";
    module.interface += " %count";
    load(module);
    run(reflectNode);
    run(lowerBuiltIns);
    module.body = "%n = OpLoad %uint3 %count";
    load(module);
    run(reflectNode);
    EXPECT_NE(runAndFail(lowerBuiltIns).find("NumWorkgroups"), std::string::npos);
}

}  // namespace millrace::nodes
