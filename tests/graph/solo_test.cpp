// SPDX-License-Identifier: Apache-2.0
#include "graph/solo.h"

#include "build_nodes.h"

namespace millrace::graph {
namespace {

constexpr uint64_t kMiB = 1 << 20;

class Solo : public testing::Test {
protected:
    // All nodes have one code of single invocations, 256 side by side, unless a test says otherwise.
    Solo() : shape{.invocations = 256, .codes = {{.invocations = 1, .isCollective = false, .runsBeside = true}}} {}

    Result<SoloPlan> plan(const std::vector<KnownInput>& inputs, uint64_t scratchBytes = kMiB)
    {
        const std::vector<uint32_t> codeOfNode(graph.nodes.size(), 0);
        return planSolo(graph, shape, codeOfNode, inputs, 0, scratchBytes, limits);
    }

    SoloPlan planned(const std::vector<KnownInput>& inputs)
    {
        Result<SoloPlan> made = plan(inputs);
        EXPECT_TRUE(made) << (made ? "" : made.error().text());
        return made ? std::move(*made) : SoloPlan{};
    }

    std::string refusal(const std::vector<KnownInput>& inputs, uint64_t scratchBytes = kMiB)
    {
        const Result<SoloPlan> made = plan(inputs, scratchBytes);
        return made ? "it was planned" : made.error().text();
    }

    static uint32_t step(const SoloPlan& plan, uint32_t number, uint32_t word)
    {
        return plan.table.at(plan.table.at(abi::kSoloSteps) + number * abi::kSoloStepWords + word);
    }
    static uint32_t queueOf(const SoloPlan& plan, uint32_t number, uint32_t word)
    {
        return plan.table.at(step(plan, number, abi::kSoloStepQueue) + word);
    }

    Graph graph;
    SoloShape shape;
    SoloLimits limits;
};

TEST_F(Solo, Chain_HasAStepForEachLevel)
{
    Node first = makePacked("a", {outputTo("b", 2)});
    first.apiEntry = true;
    graph = linkValid({first, makePacked("b")});
    const SoloPlan plan = planned({{0, 3, std::nullopt}});
    ASSERT_EQ(plan.table[abi::kSoloStepCount], 2u);
    EXPECT_EQ(step(plan, 0, abi::kSoloStepNewLevel), 0u);
    EXPECT_EQ(step(plan, 1, abi::kSoloStepNewLevel), 1u);
    EXPECT_EQ(step(plan, 0, abi::kSoloStepKind), abi::kKindPacked);
    EXPECT_EQ(step(plan, 0, abi::kSoloStepBeside), 256u);
    EXPECT_EQ(queueOf(plan, 0, abi::kSoloQueueCount), 3u);
    EXPECT_EQ(queueOf(plan, 0, abi::kSoloQueueCapacity), 3u);
    EXPECT_EQ(queueOf(plan, 1, abi::kSoloQueueCount), 0u);
    EXPECT_EQ(queueOf(plan, 1, abi::kSoloQueueCapacity), 6u);
    const uint32_t outputs = step(plan, 0, abi::kSoloStepOutputs);
    EXPECT_EQ(plan.table.at(outputs + abi::kSoloOutputCount), 1u);
    EXPECT_EQ(plan.table.at(plan.table.at(outputs + abi::kSoloOutputMap)), step(plan, 1, abi::kSoloStepQueue));
}

TEST_F(Solo, QueuesAndInputs_DoNotOverlap)
{
    Node first = makePacked("a", {outputTo("b", 2)});
    first.apiEntry = true;
    Node second = makePacked("b");
    second.apiEntry = true;
    graph = linkValid({first, second});
    const SoloPlan plan = planned({{0, 3, std::nullopt}, {1, 5, std::nullopt}, {0, 1, std::nullopt}});
    ASSERT_EQ(plan.fed.size(), 2u);
    EXPECT_EQ(plan.fedGranules, 9u);
    EXPECT_EQ(plan.fed[0].at, 0u);
    EXPECT_EQ(plan.fed[1].at, 4u);
    EXPECT_GE(plan.begin, fixedBytes(graph) / abi::kGranuleBytes);
    EXPECT_EQ(queueOf(plan, 0, abi::kSoloQueueFed), 4u);
    EXPECT_EQ(queueOf(plan, 1, abi::kSoloQueueFed), 5u);
    EXPECT_EQ(queueOf(plan, 1, abi::kSoloQueueFedAt), plan.begin + 4);
    EXPECT_EQ(queueOf(plan, 1, abi::kSoloQueueCapacity), 13u);
    EXPECT_GE(queueOf(plan, 0, abi::kSoloQueueAt), plan.begin + plan.fedGranules);
    EXPECT_GE(queueOf(plan, 1, abi::kSoloQueueAt), plan.begin + plan.fedGranules);
}

TEST_F(Solo, SlotsOfOneLevel_HaveNoBarrierBetweenThem)
{
    Node first = makePacked("a", {outputTo("b"), outputTo("c")});
    first.apiEntry = true;
    graph = linkValid({first, makePacked("b"), makePacked("c")});
    const SoloPlan plan = planned({{0, 1, std::nullopt}});
    ASSERT_EQ(plan.table[abi::kSoloStepCount], 3u);
    EXPECT_EQ(step(plan, 1, abi::kSoloStepNewLevel), 1u);
    EXPECT_EQ(step(plan, 2, abi::kSoloStepNewLevel), 0u);
    EXPECT_EQ(step(plan, 1, abi::kSoloStepTurn), 0u);
    EXPECT_EQ(step(plan, 2, abi::kSoloStepTurn), 32u) << "they run in different subgroups";
}

TEST_F(Solo, ManyPayloads_AreLeftToManyWorkgroups)
{
    Node first = makePacked("a");
    first.apiEntry = true;
    graph = linkValid({first});
    EXPECT_TRUE(plan({{0, 4 * 256, std::nullopt}}));
    EXPECT_NE(refusal({{0, 4 * 256 + 1, std::nullopt}}).find("5 rounds, more than 4"), std::string::npos);
}

TEST_F(Solo, NodesThatRunAlone_TakeARoundForEachWorkgroup)
{
    shape.codes[0] = {.invocations = 256, .isCollective = true, .runsBeside = false};
    graph = linkValid({makeEntry("a")});
    EXPECT_TRUE(plan({{0, 4, std::nullopt}}));
    EXPECT_NE(refusal({{0, 5, std::nullopt}}).find("5 rounds, more than 4"), std::string::npos);
}

TEST_F(Solo, GridsOfPayloads_CountAsOneWorkgroupAndMayLoseOnlySoMuch)
{
    shape.codes[0].invocations = 8;  // 32 side by side
    const auto linked = [](uint32_t most) {
        Node first = makePacked("a", {outputTo("b", 8)});
        first.apiEntry = true;
        return linkValid({first, makeDynamic("b", most)});
    };
    graph = linked(1024);
    EXPECT_TRUE(plan({{0, 1, std::nullopt}}));
    graph = linked(65535);
    EXPECT_NE(refusal({{0, 1, std::nullopt}}).find("more than 320"), std::string::npos);
    limits = {.roundsPerLevel = 1 << 20, .mostRounds = 1 << 30};
    EXPECT_TRUE(plan({{0, 1, std::nullopt}}));
}

TEST_F(Solo, GridsTheHostKnows_CountInFull)
{
    shape.codes[0] = {.invocations = 256, .isCollective = true, .runsBeside = false};
    Node first = makeDynamic("a", 1024);
    first.apiEntry = true;
    graph = linkValid({first});
    EXPECT_TRUE(plan({{0, 1, 4}}));
    EXPECT_NE(refusal({{0, 1, 5}}).find("5 rounds"), std::string::npos);
}

TEST_F(Solo, TooManyGrids_AreLeftToManyWorkgroups)
{
    limits = {.roundsPerLevel = 1 << 20, .mostRounds = UINT64_MAX};
    Node first = makeDynamic("a", 4);
    first.apiEntry = true;
    graph = linkValid({first});
    EXPECT_TRUE(plan({{0, abi::kSoloGridPayloads, 1}}));
    EXPECT_NE(refusal({{0, abi::kSoloGridPayloads + 1, 1}}).find("may receive more than 256"), std::string::npos);
    shape.invocations = 4;
    EXPECT_NE(refusal({{0, 33, 1}}).find("may receive more than 32"), std::string::npos);
}

TEST_F(Solo, MemoryMustSuffice)
{
    limits = {.roundsPerLevel = 1 << 20, .mostRounds = UINT64_MAX};
    Node first = makePacked("a", {outputTo("b", 4096, 1024)});
    first.apiEntry = true;
    Node second = makePacked("b");
    second.payloadBytes = 1024;
    graph = linkValid({first, second});
    EXPECT_NE(refusal({{0, 1, std::nullopt}}).find("bytes of scratch memory"), std::string::npos);
    EXPECT_TRUE(plan({{0, 1, std::nullopt}}, 8 * kMiB));
}

TEST_F(Solo, LargeInputs_AreLeftToManyWorkgroups)
{
    Node first = makePacked("a");
    first.payloadBytes = 1024;
    first.apiEntry = true;
    graph = linkValid({first});
    EXPECT_TRUE(plan({{0, 64, std::nullopt}}));
    EXPECT_NE(refusal({{0, 65, std::nullopt}}).find("its inputs have more than 65536 bytes"), std::string::npos);
}

TEST_F(Solo, LargeTables_AreLeftToManyWorkgroups)
{
    Node first = makePacked("a", {arrayTo("b", 1000)});
    first.outputs[0].sparse = true;
    first.apiEntry = true;
    std::vector<Node> nodes{first};
    for (uint32_t i = 0; i < 200; ++i) {
        nodes.push_back(makePacked("b"));
        nodes.back().id.index = i * 5;
    }
    graph = linkValid(std::move(nodes));
    EXPECT_NE(refusal({{0, 1, std::nullopt}}).find("its table has"), std::string::npos)
        << refusal({{0, 1, std::nullopt}});
}

TEST_F(Solo, NoInputs_NeedNobody)
{
    graph = linkValid({makeEntry("a")});
    EXPECT_EQ(refusal({{0, 0, std::nullopt}}), "there is nothing to run");
}

}  // namespace
}  // namespace millrace::graph
