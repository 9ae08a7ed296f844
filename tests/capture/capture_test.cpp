// SPDX-License-Identifier: Apache-2.0
// Captures from the graphs of tests/programs, on both paths and with much and little memory.
#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "harness/temporary_folder.h"
#include "harness/vulkan_test.h"

namespace millrace::harness {

namespace {

using Json = nlohmann::json;
using Case = std::tuple<const char*, Scratch>;  // path

Stage stage(const std::string& file, const std::string& entry)
{
    Stage out;
    out.words = readWords(std::string(MILLRACE_TEST_SHADERS) + "/" + file + ".spv");
    out.entry = entry;
    return out;
}

class Captures : public VulkanTest, public testing::WithParamInterface<Case> {
protected:
    // Runs a graph with the filter, as often as wanted, and returns what was written.
    static std::string capture(const std::string& filter, const std::vector<Stage>& stages,
                               const std::vector<Launch>& launches, const std::string& suffix = ".json", int runs = 1)
    {
        const TemporaryFolder folder;
        const std::string path = folder.file("a" + suffix);
        DeviceOptions options;
        options.path = std::get<0>(GetParam());
        options.words = {{"capture", filter}, {"capture_file", path}};
        Device captured(options);
        {
            Runner runner(captured, RunnerOptions{});
            const VkPipeline graph = runner.createGraph(stages);
            for (int i = 0; i < runs; ++i)
                runner.run(graph, launches, {.scratch = std::get<1>(GetParam())});
        }
        captured.close();
        said = captured.takeMessages();
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    static void expectSilence()
    {
        for (const std::string& message : said)
            ADD_FAILURE() << message;
    }

    static std::vector<uint32_t> sorted(const Json& list, const char* member = "@0")
    {
        std::vector<uint32_t> values;
        for (const Json& item : list)
            values.push_back(item["payload"][member]);
        std::ranges::sort(values);
        return values;
    }

    static inline std::vector<std::string> said;
};

const std::vector<uint32_t> kTwenty = {19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

TEST_P(Captures, AllOfANode)
{
    const Json found =
        Json::parse(capture("gather", {stage("coalesce_c", "gather")}, {launchWords("gather", 0, 20, kTwenty)}));
    expectSilence();
    ASSERT_EQ(found.size(), 20u);
    std::vector<uint32_t> wanted = kTwenty;
    std::ranges::sort(wanted);
    EXPECT_EQ(sorted(found), wanted);
    EXPECT_EQ(found[0]["node"], "gather");
    EXPECT_EQ(found[0]["level"], 1);
    EXPECT_EQ(found[0]["run"], 0);
}

TEST_P(Captures, FirstAndCondition)
{
    const std::vector<Stage> stages = {stage("coalesce_c", "gather")};
    const std::vector<Launch> launches = {launchWords("gather", 0, 20, kTwenty)};
    EXPECT_EQ(Json::parse(capture("gather first 7", stages, launches)).size(), 7u);
    expectSilence();
    const std::pair<const char*, std::vector<uint32_t>> cases[] = {
        {"gather where @0 < 3", {0, 1, 2}},
        {"gather where @0 <= 1", {0, 1}},
        {"gather where @0 == 11", {11}},
        {"gather where @0 > 17", {18, 19}},
        {"gather where @0 >= 17", {17, 18, 19}},
        {"gather first 100 where @0 != 4", {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}}};
    for (const auto& [filter, wanted] : cases) {
        EXPECT_EQ(sorted(Json::parse(capture(filter, stages, launches))), wanted) << filter;
        expectSilence();
    }
}

// Every level of a recursion, once per submission, and the counts begin anew.
TEST_P(Captures, RecursionLevelsAndRuns)
{
    const std::vector<Stage> stages = {stage("recurse", "recurse")};
    const std::vector<Launch> launches = {launchWords("recurse", 0, 1, {0})};
    const Json all = Json::parse(capture("recurse", stages, launches, ".json", 2));
    expectSilence();
    EXPECT_EQ(all.size(), 2u * 31);
    for (uint32_t level = 1; level <= 5; ++level)
        EXPECT_EQ(std::ranges::count(all, Json(level), [](const Json& item) { return item["level"]; }),
                  2 << (level - 1));
    EXPECT_EQ(Json::parse(capture("recurse level 4", stages, launches)).size(), 8u);
    EXPECT_EQ(Json::parse(capture("recurse first 20", stages, launches)).size(), 20u);
}

TEST_P(Captures, GridsFromPayloads)
{
    const Json found = Json::parse(
        capture("b where @0 > 2", {stage("level_a", "a"), stage("level_b", "b")}, {launchWords("a", 0, 1, {6})}));
    expectSilence();
    for (const Json& item : found)
        EXPECT_GT(item["payload"]["@0"], 2u);
    EXPECT_FALSE(found.empty());
}

TEST_P(Captures, ImplicitGridHasAName)
{
    const Json found = Json::parse(
        capture("count", {stage("single_noinput", "count")}, {launchWords("count", 0, 2, {2, 3, 4, 5, 1, 1})}));
    expectSilence();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0]["payload"]["grid"], (Json{2, 3, 4}));
}

TEST_P(Captures, Csv)
{
    const std::string text = capture("gather first 1 where @0 == 5", {stage("coalesce_c", "gather")},
                                     {launchWords("gather", 0, 20, kTwenty)}, ".csv");
    expectSilence();
    EXPECT_TRUE(text.starts_with("graph,dispatch,run,sweep,level,node,index,recursions_left,number,@0\n")) << text;
    EXPECT_TRUE(text.ends_with(",5\n")) << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

TEST_P(Captures, WhatIsWrongIsSaid)
{
    const std::vector<Stage> stages = {stage("coalesce_c", "gather")};
    const std::vector<Launch> launches = {launchWords("gather", 0, 20, kTwenty)};
    for (const auto& [filter, part] :
         {std::pair("gather where depth > 3", "no member \"depth\""),
          std::pair("gather where @0 > x", "not a whole number"), std::pair("gather sometimes", "none of level"),
          std::pair("gather where @400 > 1", "no member \"@400\""),
          std::pair("gather where @-4 > 1", "no member \"@-4\""), std::pair("gather where @ > 1", "no member \"@\""),
          std::pair("gather where @4294967292 > 1", "no member \"@4294967292\""),
          std::pair("gather where @18446744073709551612 > 1", "no member \"@18446744073709551612\"")}) {
        capture(filter, stages, launches);
        ASSERT_EQ(said.size(), 1u) << filter;
        EXPECT_NE(said[0].find(part), std::string::npos) << said[0];
    }
}

std::string caseName(const testing::TestParamInfo<Case>& info)
{
    return std::string(std::get<0>(info.param)) + "_" + nameOf(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Cases, Captures,
                         testing::Combine(testing::Values("direct", "indirect"),
                                          testing::Values(Scratch::Minimum, Scratch::Maximum)),
                         caseName);

}  // namespace

}  // namespace millrace::harness
