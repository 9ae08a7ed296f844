// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "advisor/advised.h"

namespace millrace::advisor::test {
namespace {

using Topics = std::multiset<std::string>;

Topics topicsOn(const Advice& advice, std::string_view gpu)
{
    Topics out;
    for (const Finding& finding : advice.findings)
        if (std::ranges::find(finding.gpus, gpu) != finding.gpus.end())
            out.insert(finding.topic);
    return out;
}

const Finding& findingOf(const Advice& advice, std::string_view topic)
{
    return *std::ranges::find(advice.findings, topic, &Finding::topic);
}

TEST(Findings, GoodShader_HasNone)
{
    EXPECT_TRUE(adviceOn(shaders::own_lane_mesh).findings.empty());
    EXPECT_TRUE(adviceOn(shaders::id_line_mesh).findings.empty());
}

TEST(Findings, SmallWorkgroup_IdleBeforeGfx11AndInRowsSince)
{
    const Advice advice = adviceOn(shaders::strided_mesh);
    EXPECT_EQ(topicsOn(advice, "gfx10.3"),
              (Topics{"barriers", "idle-invocations", "outputs-of-others", "outputs-of-others", "outputs-of-others",
                      "outputs-of-others", "outputs-of-others"}));
    EXPECT_EQ(topicsOn(advice, "gfx12"), (Topics{"export-rows", "outputs-of-others", "outputs-of-others"}));
    const Finding& idle = findingOf(advice, "idle-invocations");
    EXPECT_EQ(idle.kind, Finding::Kind::Problem);
    EXPECT_NE(idle.cost.find("96 of 128"), std::string::npos) << idle.cost;
}

TEST(Findings, LoopOfBarriers_IsAProblemAtItsLines)
{
    const Advice advice = adviceOn(shaders::barrier_loop_mesh);
    const Finding& finding = advice.findings.front();
    EXPECT_EQ(finding.topic, "barriers");
    EXPECT_EQ(finding.kind, Finding::Kind::Problem);
    EXPECT_EQ(finding.gpus, std::vector<std::string>{"gfx10.3"});
    ASSERT_EQ(finding.places.size(), 2u);
    EXPECT_EQ(finding.places[0].line, 15u);
    EXPECT_EQ(finding.places[1].line, 17u);
}

TEST(Findings, OutputsOfOthers_NameOutputLineAndBytes)
{
    const Advice advice = adviceOn(shaders::compaction_mesh);
    const Finding& face = *std::ranges::find_if(
        advice.findings, [](const Finding& finding) { return finding.text.starts_with("face "); });
    EXPECT_EQ(face.gpus, std::vector<std::string>{"gfx10.3"});
    ASSERT_EQ(face.places.size(), 1u);
    EXPECT_EQ(face.places[0].line, 34u);
    EXPECT_NE(face.cost.find("2,048 bytes"), std::string::npos) << face.cost;
}

TEST(Findings, ComputedElement_IsToldApart)
{
    const Advice advice = adviceOn(shaders::arrays_mesh);
    const Finding& finding =
        *std::ranges::find_if(advice.findings, [](const Finding& f) { return f.text.starts_with("indexed "); });
    EXPECT_NE(finding.advice.find("constants"), std::string::npos) << finding.advice;
}

TEST(Findings, SpilledOutputs_AreAProblem)
{
    const Advice advice = adviceOn(shaders::spilling_mesh);
    const Finding& finding = findingOf(advice, "spilled-outputs");
    EXPECT_EQ(finding.kind, Finding::Kind::Problem);
    EXPECT_TRUE(finding.text.starts_with("p8 does not fit")) << finding.text;
    EXPECT_EQ(topicsOn(advice, "gfx11").count("spilled-outputs"), 0u);
    EXPECT_EQ(topicsOn(advice, "gfx10.3").count("low-occupancy"), 1u);
}

TEST(Findings, TooMuchShared_ComesFirst)
{
    const Advice advice = adviceOn(shaders::too_much_shared_mesh);
    EXPECT_EQ(advice.findings.front().topic, "too-much-shared-memory");
    EXPECT_EQ(advice.findings.front().gpus.size(), gpus().size());
}

TEST(Findings, OneMoreThanAWave_AndAnUnusedPointSize)
{
    const Advice advice = adviceOn(shaders::point_size_mesh);
    EXPECT_EQ(topicsOn(advice, "gfx10.3").count("one-more-wave"), 1u);
    EXPECT_EQ(topicsOn(advice, "gfx11").count("one-more-wave"), 0u);
    EXPECT_EQ(topicsOn(advice, "gfx11").count("point-size"), 1u);
    EXPECT_TRUE(std::ranges::none_of(adviceOn(shaders::points_mesh).findings,
                                     [](const Finding& f) { return f.topic == "point-size"; }));
}

TEST(Findings, ManyRegisters)
{
    const Advice advice = adviceOn(shaders::registers_mesh);
    EXPECT_EQ(topicsOn(advice, "gfx10.3").count("many-registers"), 1u);
    EXPECT_GE(planOn(advice, "gfx11").registers, 120u);  // 30 vectors of four
    EXPECT_LE(planOn(adviceOn(shaders::own_lane_mesh), "gfx11").registers, 16u);
}

TEST(Findings, OwnDistances_AreTold)
{
    const Finding finding = findingOf(adviceOn(shaders::built_ins_mesh), "distances");
    EXPECT_TRUE(finding.text.starts_with("gl_ClipDistance goes")) << finding.text;
    EXPECT_EQ(finding.gpus.size(), gpus().size());
}

TEST(Findings, CullingWithConstantCounts)
{
    EXPECT_EQ(topicsOn(adviceOn(shaders::built_ins_mesh), "gfx10.3").count("constant-counts"), 1u);
}

TEST(Findings, WorkgroupIdOfSeveralWavesAndDimensions)
{
    const Finding finding = findingOf(adviceOn(shaders::functions_mesh), "workgroup-id");
    EXPECT_EQ(finding.gpus, std::vector<std::string>{"gfx10.3"});
    EXPECT_NE(finding.cost.find("barrier"), std::string::npos);
    EXPECT_NE(finding.cost.find("divisions"), std::string::npos);
}

TEST(Findings, TaskShaders)
{
    EXPECT_EQ(topicsOn(adviceOn(shaders::atomic_payload_task), "gfx11"),
              (Topics{"large-payload", "low-occupancy", "payload-atomics"}));
    EXPECT_EQ(topicsOn(adviceOn(shaders::compaction_task), "gfx11"), Topics{});
    EXPECT_EQ(topicsOn(adviceOn(shaders::atomic_payload_mesh), "gfx11"),
              (Topics{"large-payload", "outputs-of-others", "partial-wave"}));
}

TEST(Findings, EachHasWordsAndAKnownTopic)
{
    for (const auto words : {shaders::strided_mesh, shaders::spilling_mesh, shaders::barrier_loop_mesh,
                             shaders::built_ins_mesh, shaders::point_size_mesh, shaders::atomic_payload_task}) {
        for (const Finding& finding : adviceOn(words).findings) {
            EXPECT_NE(std::ranges::find(findingTopics(), finding.topic), findingTopics().end());
            EXPECT_TRUE(finding.text.ends_with(".") && finding.cost.ends_with(".") && finding.advice.ends_with("."));
            EXPECT_FALSE(finding.gpus.empty());
        }
    }
}

TEST(Findings, TopicsAreDifferent)
{
    EXPECT_EQ(findingTopics().size(), std::set(findingTopics().begin(), findingTopics().end()).size());
}

}  // namespace
}  // namespace millrace::advisor::test
