// SPDX-License-Identifier: Apache-2.0
// Which modules are taken, and what is said of others.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "advisor/advised.h"
#include "spirv/tools.h"

namespace millrace::advisor::test {
namespace {

// A task and two mesh shaders, beside a compute shader.
std::string several()
{
    std::ifstream file(MILLRACE_ADVISOR_SHADERS "/several.spvasm");
    return {std::istreambuf_iterator<char>(file), {}};
}

spirv::Words assembled(std::string_view text)
{
    const auto words = spirv::assemble(text);
    EXPECT_TRUE(words) << words.error().text();
    return words ? *words : spirv::Words();
}

std::string errorOf(std::span<const uint32_t> words, const Options& options = {})
{
    const auto shaders = advise(words, options);
    return shaders ? "" : shaders.error().text();
}

TEST(Prepare, SeveralEntryPoints_AreShadersInOrder)
{
    const auto shaders = advise(assembled(several()), {});
    ASSERT_TRUE(shaders) << shaders.error().text();
    ASSERT_EQ(shaders->size(), 3u);
    EXPECT_EQ((*shaders)[0].facts.stage, Stage::Task);
    EXPECT_EQ((*shaders)[1].facts.entryPoint, "first");
    EXPECT_EQ((*shaders)[1].facts.invocations(), 16u);
    EXPECT_EQ((*shaders)[1].facts.verticesPerPrimitive, 2u);
    EXPECT_TRUE((*shaders)[1].facts.outputs[0].isForeign());  // vertex 1, whoever writes it
    EXPECT_EQ((*shaders)[2].facts.verticesPerPrimitive, 1u);
    EXPECT_FALSE((*shaders)[2].facts.outputs[0].isForeign());
}

TEST(Prepare, NamelessBuiltInsWithoutLines_HaveSpirvsName)
{
    const Advice advice = adviceOn(assembled(several()), {"first", {}});
    EXPECT_EQ(advice.facts.outputs[0].name, "Position");
    EXPECT_EQ(advice.facts.outputs[0].foreignStores[0], Place());
    for (const Finding& finding : advice.findings)
        EXPECT_TRUE(finding.places.empty());
}

TEST(Prepare, OneByName_Specialized)
{
    const Options options{"second", {{7, {48, 0, 0, 0}}}};
    EXPECT_EQ(adviceOn(assembled(several()), options).facts.invocations(), 48u);
}

// Which is as valid as any.
TEST(Prepare, AccessChainWithoutIndices_IsTheVariable)
{
    std::string text = several();
    const std::string load = "%second_lane = OpLoad %uint %lane\n";
    text.replace(text.find(load), load.size(),
                 "%chain = OpAccessChain %uint_in %lane\n%second_lane = OpLoad %uint %chain\n");
    EXPECT_FALSE(adviceOn(assembled(text), {"second", {}}).facts.outputs[0].isForeign());
}

TEST(Prepare, PayloadOfAnySize_IsNoSmallOne)
{
    std::string text = several();
    const std::string emit = "OpEmitMeshTasksEXT %u1 %u1 %u1\n";
    text.replace(text.find(emit), emit.size(),
                 "%count = OpAccessChain %uint_payload %payload %u0\n"
                 "%old = OpAtomicIAdd %uint %count %u1 %u0 %u1\nOpEmitMeshTasksEXT %u1 %u1 %u1 %payload\n");
    text.replace(text.find("%task = OpFunction"), 0,
                 "%most = OpConstant %uint 0x3fffffff\n%words = OpTypeArray %uint %most\n"
                 "%words_payload = OpTypePointer TaskPayloadWorkgroupEXT %words\n"
                 "%uint_payload = OpTypePointer TaskPayloadWorkgroupEXT %uint\n"
                 "%payload = OpVariable %words_payload TaskPayloadWorkgroupEXT\n");
    text.replace(text.find("\"task\""), 6, "\"task\" %payload");
    const Advice advice = adviceOn(assembled(text), {"task", {}});
    EXPECT_EQ(advice.facts.payload->bytes, 0xfffffffcu);
    EXPECT_FALSE(advice.plans[0].lds.fits);
}

TEST(Prepare, AlwaysTheSameLaunch_IsTold)
{
    const Advice advice = adviceOn(assembled(several()), {"task", {}});
    ASSERT_EQ(advice.findings.size(), 1u);
    EXPECT_EQ(advice.findings[0].topic, "constant-launch");
}

TEST(Prepare, OtherShaders_AreRefusedByName)
{
    EXPECT_NE(errorOf(assembled(several()), {"other", {}}).find("named \"other\""), std::string::npos);
    EXPECT_NE(errorOf(assembled(several()), {"nobody", {}}).find("named \"nobody\""), std::string::npos);
    EXPECT_NE(errorOf(shaders::own_lane_frag).find("no mesh or task shader"), std::string::npos);
}

TEST(Prepare, WhatIsNotValid_IsRefusedBeforeItIsLookedAt)
{
    EXPECT_NE(errorOf({}), "");
    std::string broken = several();
    broken.replace(broken.find("OpStore %second_to %zero"), 24, "OpStore %second_to %u1  ");
    EXPECT_NE(errorOf(assembled(broken)), "");
}

TEST(Prepare, NoWorkgroupHasThisSize)
{
    EXPECT_NE(errorOf(assembled(several()), {"second", {{7, {0, 16, 0, 0}}}}).find("workgroups of this size"),
              std::string::npos);
}

// Words that were changed anywhere are refused or advised on, and never more than that.
TEST(Prepare, ChangedWords_DoNoHarm)
{
    const spirv::Words original = assembled(several());
    for (size_t w = 5; w < original.size(); ++w) {
        for (const uint32_t change : {1u, 0x10000u, 0xffffu}) {
            spirv::Words words = original;
            words[w] ^= change;
            (void)advise(words, {});
        }
    }
}

}  // namespace
}  // namespace millrace::advisor::test
