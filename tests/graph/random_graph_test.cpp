// SPDX-License-Identifier: Apache-2.0
// What must hold for every graph, every scratch size and every dispatch.
#include "random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "abi/dispatch.h"
#include "build_nodes.h"
#include "simulation.h"

namespace millrace::graph {
namespace {

constexpr uint32_t kGraphs = 400;

std::optional<Graph> randomGraph(Random& random)
{
    Result<Graph> graph = link(randomNodes(random));
    if (!graph) {
        ADD_FAILURE() << graph.error().text();
        return std::nullopt;
    }
    return std::move(*graph);
}

uint64_t randomScratchBytes(Random& random, const Graph& graph)
{
    const uint64_t least = scratchSizes(graph, 0).minBytes;
    switch (draw(random, 0, 2)) {
        case 0:
            return least;
        case 1:
            return least + draw(random, 0, 5000);
        default:
            return least + draw(random, 0, 1 << 22);
    }
}

void checkGraph(const Graph& graph)
{
    std::vector<uint32_t> listed(graph.slots.size(), 0);
    for (uint32_t l = 0; l < graph.levels.size(); ++l) {
        for (uint32_t slot : graph.levels[l].slots) {
            EXPECT_EQ(graph.slots[slot].level, l);
            ++listed[slot];
        }
    }
    std::vector<bool> hasProducer(graph.queues.size(), false);
    for (uint32_t queue : graph.apiQueues)
        if (queue != abi::kNoQueue)
            hasProducer[queue] = true;
    for (uint32_t s = 0; s < graph.slots.size(); ++s) {
        const Slot& slot = graph.slots[s];
        const Node& node = graph.nodes[slot.node];
        EXPECT_EQ(listed[s], slot.level > 0 ? 1u : 0u);
        EXPECT_EQ(slot.level, graph.slots[graph.queues[slot.queue].baseSlot].level);
        EXPECT_EQ(slot.level, graph.streams[slot.stream].level);
        EXPECT_EQ(std::ranges::count(graph.streams[slot.stream].slots, s), 1);
        EXPECT_EQ(std::ranges::count(graph.queues[slot.queue].slots, s), 1);
        ASSERT_EQ(slot.outputMaps.size(), node.declared.outputs.size());
        for (size_t o = 0; o < node.declared.outputs.size(); ++o) {
            std::vector<uint32_t> there = mapOf(graph, slot, o);
            std::erase(there, abi::kNoQueue);
            EXPECT_EQ(graph.receiversOf(slot, o), there);
            for (uint32_t queue : there) {
                if (slot.level == 0 || node.declared.outputs[o].allocationSites == 0)
                    continue;
                EXPECT_GT(graph.slots[graph.queues[queue].baseSlot].level, slot.level);
                hasProducer[queue] = true;
            }
        }
    }
    for (size_t q = 0; q < graph.queues.size(); ++q) {
        EXPECT_EQ(graph.slots[graph.queues[q].baseSlot].level > 0, hasProducer[q]);
        EXPECT_EQ(graph.queues[q].stride % 4, 0u);
    }
}

// Regions and tables lie behind the fixed part, inside the scratch memory, and do not overlap.
void checkLayout(const Graph& graph, const DispatchPlan& plan, uint64_t scratchBytes)
{
    std::vector<std::pair<uint64_t, uint64_t>> ranges = {{0, fixedBytes(graph)}};
    for (const abi::LevelPlan& level : plan.levels)
        ranges.emplace_back(uint64_t(level.begin) * abi::kGranuleBytes, uint64_t(level.size) * abi::kGranuleBytes);
    for (size_t s = 0; s < plan.streams.size(); ++s) {
        const bool isIndexed = graph.streams[s].kind == abi::kStreamIndexed;
        ranges.emplace_back(
            uint64_t(plan.streams[s].table) * abi::kGranuleBytes,
            uint64_t(plan.streams[s].capacity) * (isIndexed ? sizeof(abi::IndexedEntry) : sizeof(abi::DynamicEntry)));
    }
    std::erase_if(ranges, [](const auto& range) { return range.second == 0; });
    std::ranges::sort(ranges);
    for (size_t i = 1; i < ranges.size(); ++i)
        EXPECT_GE(ranges[i].first, ranges[i - 1].first + ranges[i - 1].second);
    EXPECT_LE(ranges.back().first + ranges.back().second, scratchBytes);
}

// What the proof of progress in docs/design.md needs.
void checkMinima(const Graph& graph, const DispatchPlan& plan)
{
    std::vector<std::vector<bool>> feeds(graph.streams.size(), std::vector<bool>(graph.levels.size(), false));
    for (uint32_t s : plan.slots) {
        const Slot& slot = graph.slots[s];
        EXPECT_GE(plan.levels[slot.level].size, slot.granulesPerGroup);
        EXPECT_GE(plan.levels[slot.level].entryQuota, slot.entriesPerGroup);
        for (size_t o = 0; o < slot.outputMaps.size(); ++o) {
            const NodeOutput& output = graph.nodes[slot.node].declared.outputs[o];
            if (output.allocationSites == 0 || graph.nodes[slot.node].declared.outputs[output.budgetPool].budget == 0)
                continue;
            for (uint32_t queue : graph.receiversOf(slot, o))
                for (uint32_t stream : graph.queues[queue].streams)
                    feeds[stream][slot.level] = true;
        }
    }
    EXPECT_GE(plan.levels[0].entryQuota, abi::kFeedChunkPayloads);
    for (size_t s = 0; s < graph.streams.size(); ++s) {
        uint64_t quotas = 0;
        for (size_t l = 0; l < graph.levels.size(); ++l)
            quotas += feeds[s][l] ? plan.levels[l].entryQuota : 0;
        EXPECT_GE(plan.streams[s].capacity, quotas);
        EXPECT_LT(plan.streams[s].capacity, 1u << (64 - abi::kUnitBits));
    }
}

TEST(RandomGraphs, LevelsAndMaps)
{
    for (uint32_t seed = 0; seed < kGraphs && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        if (const std::optional<Graph> graph = randomGraph(random))
            checkGraph(*graph);
    }
}

TEST(RandomGraphs, PlanOfUnknownInputs)
{
    for (uint32_t seed = 0; seed < kGraphs && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::optional<Graph> graph = randomGraph(random);
        if (!graph)
            return;
        const uint64_t scratchBytes = randomScratchBytes(random, *graph);
        const DispatchPlan plan = millrace::graph::plan(*graph, scratchBytes, std::nullopt);
        checkLayout(*graph, plan, scratchBytes);
        if (!plan.fits)
            checkMinima(*graph, plan);
    }
}

TEST(RandomGraphs, PlanOfKnownInputs)
{
    uint32_t fits = 0;
    uint32_t fitsNot = 0;
    for (uint32_t seed = 0; seed < kGraphs && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::optional<Graph> graph = randomGraph(random);
        if (!graph)
            return;
        const std::vector<KnownInput> inputs = randomInputs(random, *graph);
        const uint64_t scratchBytes = randomScratchBytes(random, *graph);
        const DispatchPlan plan = millrace::graph::plan(*graph, scratchBytes, std::span<const KnownInput>(inputs));
        checkLayout(*graph, plan, scratchBytes);
        if (!plan.fits)
            checkMinima(*graph, plan);
        ++(plan.fits ? fits : fitsNot);
    }
    EXPECT_GT(fits, kGraphs / 10);
    EXPECT_GT(fitsNot, kGraphs / 10);
}

// Whatever the nodes do inside their budgets, nothing overflows and every dispatch comes to its end.
TEST(RandomGraphs, SimulatedDispatches)
{
    uint32_t severalSweeps = 0;
    for (uint32_t seed = 0; seed < kGraphs && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::optional<Graph> graph = randomGraph(random);
        if (!graph)
            return;
        const std::vector<KnownInput> inputs = randomInputs(random, *graph);
        for (bool known : {true, false}) {
            const uint64_t scratchBytes = randomScratchBytes(random, *graph);
            const DispatchPlan plan = known ? millrace::graph::plan(*graph, scratchBytes, std::span(inputs))
                                            : millrace::graph::plan(*graph, scratchBytes, std::nullopt);
            const SimulationResult result = simulate(*graph, plan, inputs, random, 30000);
            severalSweeps += result.sweeps > 1 ? 1 : 0;
            if (!plan.fits)
                continue;
            EXPECT_EQ(result.sweeps, 1u);
            for (size_t i = 0; i < plan.slots.size(); ++i)
                EXPECT_LE(result.groups[plan.slots[i]], plan.maxGroups[i]);
        }
    }
    EXPECT_GT(severalSweeps, kGraphs / 10);
}

// Of no more payloads than the bound in all infos together, and workgroups.
std::vector<KnownInput> inputsWithin(Random& random, const Graph& graph, const InputBound& bound)
{
    uint64_t most = 3;
    for (const Node& node : graph.nodes)
        if (node.declared.mode == LaunchMode::Dynamic && node.declared.declaresMaxGrid)
            most = std::max<uint64_t>(
                most, uint64_t{node.declared.maxGrid[0]} * node.declared.maxGrid[1] * node.declared.maxGrid[2]);
    uint64_t left = std::min<uint64_t>(bound.payloads, bound.groups / most);
    std::vector<KnownInput> inputs;
    while (left > 0 && inputs.size() < 500) {
        KnownInput input;
        input.node = draw(random, 0, static_cast<uint32_t>(graph.nodes.size()));
        input.payloadCount = std::min<uint64_t>(left, draw(random, 0, 19) == 0 ? left : draw(random, 1, 3));
        left -= input.payloadCount;
        inputs.push_back(input);
    }
    return inputs;
}

TEST(RandomGraphs, InputsWithinTheBound_Fit)
{
    uint32_t bounded = 0;
    for (uint32_t seed = 0; seed < kGraphs && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::optional<Graph> graph = randomGraph(random);
        if (!graph)
            return;
        const uint64_t scratchBytes = std::min(randomScratchBytes(random, *graph), uint64_t{64} << 20);
        const std::optional<BoundedPlan> found = planBounded(*graph, scratchBytes);
        if (!found || found->bound.payloads > 1 << 16)
            continue;
        ++bounded;
        ASSERT_TRUE(found->plan.fits);
        checkLayout(*graph, found->plan, scratchBytes);
        const std::vector<KnownInput> inputs = inputsWithin(random, *graph, found->bound);
        EXPECT_EQ(simulate(*graph, found->plan, inputs, random, 30000).sweeps, 1u);
    }
    EXPECT_GT(bounded, kGraphs / 20);
}

}  // namespace
}  // namespace millrace::graph
