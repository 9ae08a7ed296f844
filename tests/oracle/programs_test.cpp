// SPDX-License-Identifier: Apache-2.0
// The graphs of tests/programs on the oracle: their expected values come from their own definitions.
#include <gtest/gtest.h>

#include "oracle/test_graph.h"

namespace millrace::oracle {

namespace {

NodeSource node(const std::string& file, const std::string& entry, std::optional<std::string> name = std::nullopt,
                std::optional<uint32_t> index = std::nullopt)
{
    return {
        assembleFile(std::string(MILLRACE_TEST_PROGRAMS) + "/" + file + ".spvasm"), entry, std::move(name), index, {}};
}

// Each graph runs with several orders and groupings; `wanted` is a prefix of the output buffer.
class Programs : public testing::TestWithParam<std::tuple<uint32_t, Grouping>> {
protected:
    std::vector<uint32_t> run(const std::vector<NodeSource>& nodes, const std::vector<Launch>& launches)
    {
        Options options;
        options.seed = std::get<0>(GetParam());
        options.grouping = std::get<1>(GetParam());
        return runGraph(nodes, launches, 256, options);
    }

    void check(const std::vector<NodeSource>& nodes, const std::vector<Launch>& launches,
               const std::vector<uint32_t>& wanted)
    {
        std::vector<uint32_t> got = run(nodes, launches);
        got.resize(wanted.size());
        EXPECT_EQ(got, wanted);
    }
};

std::vector<uint32_t> filled()
{
    std::vector<uint32_t> wanted(96);
    for (uint32_t i = 0; i < 32; ++i) {
        wanted[i] = 3 * (i + 1);
        wanted[64 + i] = 5 * (i + 1);
    }
    return wanted;
}

TEST_P(Programs, SingleNode_ArrayInput)
{
    check({node("single_array", "fill")}, {launchWords("fill", 0, 2, {0, 3, 64, 5})}, filled());
}

TEST_P(Programs, SingleNode_StructInput)
{
    check({node("single_struct", "fill")}, {launchWords("fill", 0, 2, {0, 3, 64, 5})}, filled());
}

TEST_P(Programs, SingleNode_ImplicitGrid)
{
    uint32_t sum = 0;
    for (uint32_t x = 0; x < 2; ++x)
        for (uint32_t y = 0; y < 3; ++y)
            for (uint32_t z = 0; z < 4; ++z)
                sum += x + y + z;
    check({node("single_noinput", "count")}, {launchWords("count", 0, 2, {2, 3, 4, 5, 1, 1})}, {29, sum + 10});
}

TEST_P(Programs, TwoLevels_GridOfEveryPayload)
{
    check({node("level_a", "a"), node("level_b", "b")}, {launchWords("a", 0, 1, {6})}, {4, 8, 12, 16, 20, 24, 0, 0});
}

TEST_P(Programs, Coalescing_SumsAndCounts)
{
    const std::vector<uint32_t> got =
        run({node("coalesce_a", "scatter"), node("coalesce_c", "gather")}, {launchWords("scatter", 0, 1, {0})});
    const uint32_t groups = got[2];
    switch (std::get<1>(GetParam())) {
        case Grouping::Full:
            EXPECT_EQ(groups, 4u);
            break;
        case Grouping::Single:
            EXPECT_EQ(groups, 64u);
            break;
        default:
            EXPECT_GE(groups, 4u);
            EXPECT_LE(groups, 64u);
    }
    std::vector<uint32_t> wanted = {64 * 63 / 2, 64, groups, 0, 0, 0, 0, 0};
    wanted.resize(8 + 64, 1);
    EXPECT_EQ(std::vector<uint32_t>(got.begin(), got.begin() + 72), wanted);
}

TEST_P(Programs, Coalescing_FromTheApi)
{
    std::vector<uint32_t> payloads(20);
    for (uint32_t i = 0; i < 20; ++i)
        payloads[i] = i;
    const std::vector<uint32_t> got = run({node("coalesce_c", "gather")}, {launchWords("gather", 0, 20, payloads)});
    EXPECT_EQ(got[0], 190u);
    EXPECT_EQ(got[1], 20u);
}

TEST_P(Programs, Recursion_CallsAndLevels)
{
    check({node("recurse", "recurse")}, {launchWords("recurse", 0, 1, {0})},
          {1, 2, 4, 8, 16, 0, 0, 0, 4, 6, 8, 8, 0, 0, 0, 0});
}

TEST_P(Programs, NodeArray_ExistingNodesOnly)
{
    std::vector<uint32_t> wanted(21);
    wanted[1] = 100, wanted[2] = 101, wanted[4] = 103;
    wanted[16] = wanted[17] = wanted[19] = 1;
    wanted[18] = wanted[20] = 2;
    for (const char* form : {"spec", "value"})
        check({node(std::string("array_a_") + form, "choose"), node("array_n", "member", "arr", 1),
               node("array_n", "member", "arr", 2), node("array_n", "member", "arr", 4)},
              {launchWords("choose", 0, 1, {0})}, wanted);
}

TEST_P(Programs, SharedInput_EveryNodeRuns)
{
    const std::vector<NodeSource> nodes = {node("share_a", "send"), node("share_base", "base"),
                                           node("share_twin", "twin"), node("share_extra", "extra")};
    check(nodes, {launchWords("send", 0, 1, {0})}, {12, 36, 24});
    check(nodes, {launchWords("base", 0, 2, {10, 20})}, {60, 180, 120});
}

TEST_P(Programs, FinishWriting_LastWorkgroupSums)
{
    check({node("finish_a", "start"), node("finish_b", "work")}, {launchWords("start", 0, 3, {1, 10, 100})},
          {111 * 36, 3, 24});
}

TEST_P(Programs, DxcShape_EveryKindOfRecord)
{
    std::vector<uint32_t> wanted(36, 1);
    wanted.resize(40, 0);
    wanted.push_back(8);
    check({node("dxc_a", "main", "entry", 0), node("dxc_n", "thread"), node("dxc_n", "group"), node("dxc_n", "empty")},
          {launchWords("entry", 0, 1, {0})}, wanted);
}

INSTANTIATE_TEST_SUITE_P(Orders, Programs,
                         testing::Combine(testing::Values(1u, 2u, 3u),
                                          testing::Values(Grouping::Random, Grouping::Full, Grouping::Single)));

}  // namespace

}  // namespace millrace::oracle
