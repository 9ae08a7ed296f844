// SPDX-License-Identifier: Apache-2.0
// The node libraries of the corpus as graphs, on the oracle and through the layer.
#include "conformance/graph_test.h"
#include "dxil/support/corpus.h"

namespace millrace::dxil {

namespace {

using conformance::first;
using harness::launchWords;
using harness::Stage;

std::vector<Stage> stagesOf(const std::string& name)
{
    std::vector<Stage> out;
    for (const Shader& shader : translateFile(name).shaders) {
        Stage stage;
        stage.words = shader.words;
        // Name and index are what the module says.
        stage.entry = shader.entryPoint;
        out.push_back(std::move(stage));
    }
    return out;
}

class DxilNodes : public conformance::GraphTest {};

TEST_F(DxilNodes, BroadcastingWithDispatchGrid_EveryGroupRuns)
{
    const auto got = run(stagesOf("nodes/broadcast_fan_out"), {launchWords("start", 0, 2, {3, 5})});
    // Row y has y + 1 groups of two threads: the sum of 1 to 2 (y + 1), twice for the rows that both starts have.
    EXPECT_EQ(first(got, 6), (std::vector<uint32_t>{2 * 3, 2 * 10, 2 * 21, 36, 55, 0}));
}

TEST_F(DxilNodes, Coalescing_EveryRecordArrivesOnce)
{
    const auto got = run(stagesOf("nodes/coalescing_counts"), {launchWords("scatter", 0, 2, {})});
    EXPECT_EQ(first(got, 2), (std::vector<uint32_t>{2 * (8 * (0 + 100 + 200) + 3 * 64), 2 * 24}));
}

TEST_F(DxilNodes, ThreadNodeRecursion_VisitsTheTree)
{
    const auto got = run(stagesOf("nodes/thread_recursion"), {launchWords("split", 0, 1, {0, 0})});
    std::vector<uint32_t> wanted;
    for (uint32_t depth = 0; depth < 6; ++depth) {
        const uint32_t count = 1u << depth;
        wanted.push_back(count * (count + 1) / 2);
    }
    EXPECT_EQ(first(got, 7),
              (std::vector<uint32_t>{wanted[0], wanted[1], wanted[2], wanted[3], wanted[4], wanted[5], 0}));
}

TEST_F(DxilNodes, RecordsThatAreChosenAmong)
{
    const auto got = run(stagesOf("nodes/record_choices"), {launchWords("start", 0, 2, {})});
    // Twice two groups of eight: one record of 10 i + 1, one of 5; the first group has one more of 100.
    EXPECT_EQ(first(got, 2), (std::vector<uint32_t>{2 * (2 * (10 * 28 + 8 + 5 * 8) + 8 * 100), 2 * (2 * 16 + 8)}));
}

TEST_F(DxilNodes, GridsOfOtherTypes_AndNodesWithoutAnEnd)
{
    const auto got = run(stagesOf("nodes/grids_and_unbounded"), {launchWords("start", 0, 1, {})});
    // Of the two groups one asks for 3, 2 x 1 x 2 and 1 x 5 groups, the other for 4, 2 x 2 x 2 and 1 x 5. Of the nodes
    // 0, 100, 400 and 900, and 1, 101, 401 and 901, two are there.
    const uint32_t narrow = 7 * 500 + 3 + 6;
    const uint32_t deep = 12 * 16 + 2 * (1 + 100 + 101) + (10 + 11 + 110 + 111);
    EXPECT_EQ(first(got, 5), (std::vector<uint32_t>{narrow, deep, 2 * (5 * 100 + 10), 101 + 3 * 902, 6}));
}

TEST_F(DxilNodes, SparseNodeArray_OnlyExistingNodesAreValid)
{
    const auto got = run(stagesOf("nodes/node_array"), {launchWords("choose", 0, 1, {})});
    // Invocations 0, 3, 6 go to index 1; 2, 5 to index 3; 1, 4, 7 find no node. Two groups.
    EXPECT_EQ(first(got, 2), (std::vector<uint32_t>{2 * 2 * 9, 2 * 2 * 7}));
    EXPECT_EQ(got[8], 2u * 3u);
}

TEST_F(DxilNodes, EmptyRecords_AreCounted)
{
    EXPECT_EQ(first(run(stagesOf("nodes/empty_records"), {launchWords("start", 0, 3, {})}), 2),
              (std::vector<uint32_t>{3 * 2 * 2, 3 * 2 * 3}));
}

TEST_F(DxilNodes, CrossGroupSharing_TheLastGroupSums)
{
    EXPECT_EQ(first(run(stagesOf("nodes/cross_group_sharing"), {launchWords("start", 0, 3, {})}), 2),
              (std::vector<uint32_t>{3 * 36, 3}));
}

TEST_F(DxilNodes, SharedBudgetAndInput_EveryNodeSeesIts)
{
    EXPECT_EQ(first(run(stagesOf("nodes/shared_budget_and_input"), {launchWords("start", 0, 2, {})}), 3),
              (std::vector<uint32_t>{2 * 11, 2 * 2 * 7, 2 * 3 * 7}));
}

TEST_F(DxilNodes, RecordOfEveryType_IsReadAsItWasWritten)
{
    const auto got = run(stagesOf("nodes/record_layout"), {launchWords("start", 0, 1, {})});
    EXPECT_EQ(first(got, 13), (std::vector<uint32_t>{2, 10, 3, 7, 3, 0, 2, 0, 10, 20, 30, 40, 50}));
    EXPECT_EQ(std::vector<uint32_t>(got.begin() + 16, got.begin() + 29),
              (std::vector<uint32_t>{4, 22, 3, 8, 3, 256, 4, 1, 11, 21, 31, 41, 51}));
}

}  // namespace

}  // namespace millrace::dxil
