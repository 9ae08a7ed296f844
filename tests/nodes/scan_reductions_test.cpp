// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/scan_reductions.h"

#include "nodes/pass_test.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

class ScanReductions : public PassTest {
protected:
    void load(const std::string& body)
    {
        ModuleText module;
        module.capabilities =
            "OpCapability GroupNonUniform\nOpCapability GroupNonUniformArithmetic\nOpCapability "
            "GroupNonUniformClustered\n"
            "OpCapability Int64\nOpCapability Int16\n";
        module.globals =
            "%short = OpTypeInt 16 0\n%long = OpTypeInt 64 0\n\n"
            "%s1 = OpConstant %short 1\n%l1 = OpConstant %long 1\n%p1 = OpConstantComposite %uint2 %u1 %u2\n"
            "%f1 = OpConstant %float 1\n%yes = OpConstantTrue %bool\n";
        module.body = body;
        PassTest::load(module);
    }

    void apply(bool scans)
    {
        options.target.scansToReduce = scans;
        ASSERT_TRUE(scanReductions(shader, options.target));
        const Status valid = spirv::validate(spirv::write(shader.module));
        EXPECT_TRUE(valid) << valid.error().text();
    }

    void expectUnchanged(const std::string& body, bool scans = true)
    {
        load(body);
        const std::string before = text();
        apply(scans);
        EXPECT_EQ(text(), before);
    }
};

std::string reduce(const std::string& what)
{
    return "%a = OpGroupNonUniform" + what + "\n";
}

}  // namespace

TEST_F(ScanReductions, Sum_IsTheLastOfAScan)
{
    load("%lane = OpLoad %uint %lidx\n%a = OpGroupNonUniformIAdd %uint %u3 Reduce %lane\n%b = OpIAdd %uint %a %u1\n");
    apply(true);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %lane = OpLoad %uint %lidx
        %scan = OpGroupNonUniformIAdd %uint %uint_3 InclusiveScan %lane
        %here = OpGroupNonUniformBallot %v4uint %uint_3 %true
        %last = OpGroupNonUniformBallotFindMSB %uint %uint_3 %here
        %a = OpGroupNonUniformShuffle %uint %uint_3 %scan %last
        %b = OpIAdd %uint %a %uint_1
        OpReturn
        OpFunctionEnd)"));
    EXPECT_TRUE(has("OpCapability GroupNonUniformBallot"));
    EXPECT_TRUE(has("OpCapability GroupNonUniformShuffle"));
}

TEST_F(ScanReductions, EachOperationAndType)
{
    for (const char* operation : {"IAdd", "SMin", "UMin", "SMax", "UMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor"}) {
        for (const char* operands : {" %uint %u3 Reduce %u1", " %uint2 %u3 Reduce %p1", " %short %u3 Reduce %s1"}) {
            load(reduce(operation + std::string(operands)));
            apply(true);
            EXPECT_EQ(functions().find("Reduce"), std::string::npos) << operation << operands;
            EXPECT_NE(functions().find(std::string("OpGroupNonUniform") + operation), std::string::npos);
        }
    }
}

TEST_F(ScanReductions, WhatIsNoReductionOfSmallIntegers_Stays)
{
    for (const char* what :
         {"IAdd %uint %u3 ExclusiveScan %u1", "IAdd %uint %u3 ClusteredReduce %u1 %u4", "IAdd %long %u3 Reduce %l1",
          "FAdd %float %u3 Reduce %f1", "LogicalOr %bool %u3 Reduce %yes"})
        expectUnchanged(reduce(what));
}

TEST_F(ScanReductions, OtherDrivers_KeepReductions)
{
    expectUnchanged(reduce("IAdd %uint %u3 Reduce %u1"), false);
}

}  // namespace millrace::nodes
