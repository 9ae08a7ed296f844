// SPDX-License-Identifier: Apache-2.0
// Which code a dispatch runs each slot with.
#include "runtime/pipeline_uses.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/build_nodes.h"
#include "graph/plan.h"

namespace millrace::runtime {

namespace {

using Uses = std::vector<std::pair<uint32_t, graph::MemoryUse>>;
constexpr auto kFits = graph::MemoryUse::Fits;
constexpr auto kReserves = graph::MemoryUse::Reserves;

// "a", whose payloads the API sends, sends up to 1,000 to "b" for each; "b" sends nothing.
class SlotUsesOfPlan : public testing::Test {
protected:
    void SetUp() override
    {
        graph::Node a = graph::makeEntry("a", {graph::outputTo("b")});
        a.declared.outputs[0].budget = 1000;
        Result<graph::Graph> linked = graph::link({a, graph::makeNode("b")});
        ASSERT_TRUE(linked) << linked.error().text();
        m_graph = std::move(*linked);
        m_sizes = graph::scratchSizes(m_graph, 1 << 20);
    }

    // Whose inputs nobody knows.
    graph::DispatchPlan plan(uint64_t bytes) const { return graph::plan(m_graph, bytes, std::nullopt); }

    static Uses sorted(const std::vector<PipelineUse>& uses)
    {
        Uses out;
        for (const PipelineUse& use : uses)
            out.emplace_back(use.node, use.memory);
        std::ranges::sort(out);
        return out;
    }

    graph::Graph m_graph;
    graph::ScratchSizes m_sizes;
};

TEST_F(SlotUsesOfPlan, SendsNothing_NeverReserves)
{
    EXPECT_EQ(sorted(pipelineUses(m_graph, plan(m_sizes.minBytes), Path::Direct)), (Uses{{0, kReserves}, {1, kFits}}));
}

TEST_F(SlotUsesOfPlan, RoomForManyGroups_LevelTries)
{
    const graph::DispatchPlan large = plan(64 << 20);
    ASSERT_FALSE(large.fits);
    const SlotUses uses(m_graph, large, Path::Direct);
    EXPECT_TRUE(uses.tries(1));
    EXPECT_FALSE(uses.tries(2)) << "nobody there asks";
    EXPECT_EQ(sorted(pipelineUses(m_graph, large, Path::Direct)), (Uses{{0, kReserves}, {0, kFits}, {1, kFits}}));
}

TEST_F(SlotUsesOfPlan, RoomForFewGroups_NobodyTries)
{
    EXPECT_FALSE(SlotUses(m_graph, plan(m_sizes.minBytes), Path::Direct).tries(1));
}

TEST_F(SlotUsesOfPlan, PlanFits_NobodyReserves)
{
    const graph::KnownInput few[] = {{0, 2, std::nullopt, 1}};
    const graph::DispatchPlan fits = graph::plan(m_graph, 64 << 20, few);
    ASSERT_TRUE(fits.fits);
    EXPECT_EQ(sorted(pipelineUses(m_graph, fits, Path::Direct)), (Uses{{0, kFits}, {1, kFits}}));
}

TEST_F(SlotUsesOfPlan, IndirectPath_PlanShaderTakesForAll)
{
    EXPECT_EQ(sorted(pipelineUses(m_graph, plan(64 << 20), Path::Indirect)), (Uses{{0, kReserves}, {1, kReserves}}));
}

// Whole payloads, and one at least.
TEST_F(SlotUsesOfPlan, MostPayloadsInSweep)
{
    graph::Node b = graph::makeNode("b");
    b.declared.staticGrid[0] = 100;
    const auto linked = graph::link({graph::makeEntry("a", {graph::outputTo("b")}), b});
    ASSERT_TRUE(linked) << linked.error().text();
    const graph::Slot& slot = linked->slots[1];
    ASSERT_TRUE(graph::asksForNothing(*linked, slot));
    ASSERT_FALSE(graph::asksForNothing(*linked, linked->slots[0]));
    EXPECT_EQ(graph::mostPayloadsInSweep(*linked, slot, 1050), 10u);
    EXPECT_EQ(graph::mostPayloadsInSweep(*linked, slot, 5), 1u);
    EXPECT_LT(graph::mostPayloadsInSweep(*linked, slot, UINT32_MAX) * 100u, graph::kMaxFittingUnits);
}

}  // namespace

}  // namespace millrace::runtime
