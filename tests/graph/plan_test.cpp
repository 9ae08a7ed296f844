// SPDX-License-Identifier: Apache-2.0
#include "graph/plan.h"

#include "build_nodes.h"

namespace millrace::graph {
namespace {

constexpr uint64_t kMiB = 1 << 20;

std::vector<Node> chain(uint32_t length, uint32_t budget, uint32_t bytes)
{
    std::vector<Node> nodes;
    for (uint32_t i = 0; i < length; ++i) {
        nodes.push_back(makeNode(numbered("n", i)));
        nodes.back().declared.payloadBytes = bytes;
        if (i + 1 < length)
            nodes.back().declared.outputs.push_back(outputTo(numbered("n", i + 1), budget, bytes));
    }
    nodes[0].declared.apiEntry = true;
    return nodes;
}

DispatchPlan planKnown(const Graph& graph, uint64_t scratchBytes, const std::vector<KnownInput>& inputs)
{
    return plan(graph, scratchBytes, std::span<const KnownInput>(inputs));
}

uint64_t groupsOf(const Graph& graph, const DispatchPlan& plan, const std::string& name, uint32_t remaining = 0)
{
    const uint32_t wanted = static_cast<uint32_t>(&slotOf(graph, name, remaining) - graph.slots.data());
    for (size_t i = 0; i < plan.slots.size(); ++i)
        if (plan.slots[i] == wanted)
            return plan.maxGroups[i];
    return 0;
}

TEST(ScratchSizes, TenNodesWithLargePayloads_StaySmall)
{
    std::vector<Node> nodes = chain(10, 256, 1024);
    for (Node& node : nodes)
        for (NodeOutput& output : node.declared.outputs)
            output.perInvocation = true;
    EXPECT_LE(scratchSizes(linkValid(nodes), 0).minBytes, 4 * kMiB);
}

TEST(ScratchSizes, DynamicConsumers_StaySmallToo)
{
    std::vector<Node> nodes = chain(10, 256, 1024);
    for (size_t i = 1; i < nodes.size(); ++i)
        nodes[i].declared.mode = LaunchMode::Dynamic;
    EXPECT_LE(scratchSizes(linkValid(nodes), 0).minBytes, 4 * kMiB);
}

TEST(ScratchSizes, SmallGraph_AsksForMoreThanOneGroup)
{
    const Graph graph = linkValid(chain(3, 4, 64));
    const ScratchSizes sizes = scratchSizes(graph, 0);
    EXPECT_LE(sizes.minBytes, fixedBytes(graph) + kMiB);
    const DispatchPlan plan = millrace::graph::plan(graph, sizes.minBytes, std::nullopt);
    EXPECT_GE(plan.levels[1].size, 16 * slotOf(graph, "n0").granulesPerGroup);
}

TEST(ScratchSizes, MaxIsMinPlusWholeSteps)
{
    const Graph graph = linkValid(chain(3, 4, 64));
    const ScratchSizes sizes = scratchSizes(graph, 100 * kMiB);
    EXPECT_LE(sizes.maxBytes, 100 * kMiB);
    EXPECT_GT(sizes.maxBytes, 99 * kMiB);
    EXPECT_EQ((sizes.maxBytes - sizes.minBytes) % sizes.granularityBytes, 0u);
    EXPECT_EQ(scratchSizes(graph, 0).maxBytes, sizes.minBytes);
    EXPECT_LE(scratchSizes(graph, UINT64_MAX).maxBytes, uint64_t(64) << 30);
}

TEST(ScratchSizes, NoEntries_Works)
{
    const Graph graph = linkValid({makeNode("a", {outputTo("b")}), makeNode("b")});
    const ScratchSizes sizes = scratchSizes(graph, 0);
    const DispatchPlan plan = planKnown(graph, sizes.minBytes, {});
    EXPECT_TRUE(plan.fits);
    EXPECT_TRUE(plan.slots.empty());
}

// A recursion whose workgroups share a payload, of which the last one sends four: not four for each of its workgroups.
TEST(Plan, SendsWhenFinished_CountsPayloads)
{
    const auto nodesOf = [](bool sendsWhenFinished) {
        Node square = makeDynamic("square", 96);
        square.declared.maxRecursion = 5;
        square.declared.usesFinishWriting = true;
        square.declared.sendsWhenFinished = sendsWhenFinished;
        square.declared.outputs = {outputTo("square", 4)};
        return std::vector<Node>{makeEntry("tiles", {outputTo("square", 36)}), square};
    };
    const Graph graph = linkValid(nodesOf(true));
    const uint64_t bytes = scratchSizes(graph, 32 * kMiB).maxBytes;
    const DispatchPlan plan = planKnown(graph, bytes, {{.node = 0, .payloadCount = 1}});
    EXPECT_TRUE(plan.fits);
    EXPECT_EQ(groupsOf(graph, plan, "square", 5), 36u * 96);
    EXPECT_EQ(groupsOf(graph, plan, "square", 0), 36u * 4 * 4 * 4 * 4 * 4 * 96);
    const uint32_t granules = slotOf(graph, "square", 1).fitGranulesPerGroup;
    EXPECT_EQ(plan.levels[slotOf(graph, "square", 1).level].size, 36u * 4 * 4 * 4 * 4 * granules);
    EXPECT_FALSE(planKnown(linkValid(nodesOf(false)), bytes, {{.node = 0, .payloadCount = 1}}).fits);
}

TEST(Plan, KnownInputs_ExactNumbers)
{
    // 100 payloads of 20 bytes: 1280 bytes, and 36 payloads that end in the middle of a granule.
    const Graph graph = linkValid(chain(3, 10, 20));
    const DispatchPlan plan = planKnown(graph, scratchSizes(graph, kMiB).maxBytes, {{.node = 0, .payloadCount = 100}});
    ASSERT_TRUE(plan.fits);
    EXPECT_EQ(plan.slots, (std::vector<uint32_t>{0, 1, 2}));
    EXPECT_EQ(plan.maxGroups, (std::vector<uint64_t>{100, 1000, 10000}));
    EXPECT_EQ(plan.levels[0].size, 128u);  // 80 + 45, in whole cache lines
    EXPECT_EQ(plan.levels[1].size, 13u * 100 + 4);
    EXPECT_EQ(plan.levels[2].size, 13u * 1000);
    EXPECT_EQ(plan.levels[3].size, 0u);
    EXPECT_EQ(plan.streams[0].capacity, 2u);  // chunks
    EXPECT_EQ(plan.streams[1].capacity, 100u);
    EXPECT_EQ(plan.streams[2].capacity, 1000u);
}

TEST(Plan, InputsOfOneNodeAdd)
{
    const Graph graph = linkValid(chain(1, 0, 20));
    const DispatchPlan plan =
        planKnown(graph, kMiB, {{.node = 0, .payloadCount = 1}, {.node = 0, .payloadCount = 65}, {.node = 0}});
    EXPECT_EQ(plan.maxGroups, (std::vector<uint64_t>{66}));
    EXPECT_EQ(plan.streams[0].capacity, 3u);
    EXPECT_EQ(plan.levels[0].size, 88u);  // 2 + 80 + 2
}

TEST(Plan, OnlyWhatTheInputsReach)
{
    Node other = makeEntry("other", {outputTo("leaf")});
    const Graph graph = linkValid({makeEntry("a", {outputTo("b")}), makeNode("b"), other, makeNode("leaf")});
    const DispatchPlan plan = planKnown(graph, kMiB, {{.node = 2, .payloadCount = 1}});
    EXPECT_EQ(plan.slots, (std::vector<uint32_t>{2, 3}));
    EXPECT_EQ(plan.streams[0].capacity, 0u);
    EXPECT_EQ(millrace::graph::plan(graph, kMiB, std::nullopt).slots.size(), 4u);
}

TEST(Plan, InputThatIsNoEntry_IsIgnored)
{
    const Graph graph = linkValid({makeEntry("a", {outputTo("b")}), makeNode("b")});
    const DispatchPlan plan = planKnown(graph, kMiB, {{.node = 1, .payloadCount = 5}, {.node = 99, .payloadCount = 5}});
    EXPECT_TRUE(plan.fits);
    EXPECT_TRUE(plan.slots.empty());
}

TEST(Plan, UnknownInputs_NeverFit)
{
    const Graph graph = linkValid(chain(2, 1, 16));
    const DispatchPlan plan = millrace::graph::plan(graph, 256 * kMiB, std::nullopt);
    EXPECT_FALSE(plan.fits);
    EXPECT_EQ(plan.maxGroups, (std::vector<uint64_t>{UINT64_MAX, UINT64_MAX}));
}

TEST(Plan, TooSmall_DoesNotFit)
{
    const Graph graph = linkValid(chain(3, 256, 1024));
    const ScratchSizes sizes = scratchSizes(graph, 0);
    const DispatchPlan plan = planKnown(graph, sizes.minBytes, {{.node = 0, .payloadCount = 100}});
    EXPECT_FALSE(plan.fits);
    EXPECT_EQ(plan.maxGroups[1], 25600u);
}

TEST(Plan, DynamicGrids)
{
    Node entry = makeDynamic("a", 1000);
    entry.declared.apiEntry = true;
    entry.declared.outputs = {outputTo("b")};
    const Graph graph = linkValid({entry, makeDynamic("b", 7)});
    DispatchPlan plan = planKnown(graph, 16 * kMiB, {{.node = 0, .payloadCount = 10, .groupCount = 30}});
    EXPECT_TRUE(plan.fits);
    EXPECT_EQ(plan.maxGroups, (std::vector<uint64_t>{30, 210}));
    EXPECT_EQ(plan.streams[0].capacity, 10u);
    EXPECT_EQ(plan.streams[1].capacity, 30u);

    plan = planKnown(graph, 16 * kMiB, {{.node = 0, .payloadCount = 10}});
    EXPECT_EQ(plan.maxGroups, (std::vector<uint64_t>{10000, 70000}));

    plan = planKnown(graph, 16 * kMiB, {{.node = 0, .payloadCount = 10, .groupCount = 0}});
    EXPECT_TRUE(plan.slots.empty());
}

TEST(Plan, GroupCountIsOfTheNodeItself)
{
    Node entry = makeDynamic("a", 1000);
    entry.declared.apiEntry = true;
    Node same = sharing(makeDynamic("same", 500), {"a", 0});
    Node other = sharing(makeDynamic("other", 5), {"a", 0});
    other.declared.grid.offsetBytes = 4;
    const Graph graph = linkValid({entry, same, other});
    const DispatchPlan plan = planKnown(graph, kMiB, {{.node = 0, .payloadCount = 10, .groupCount = 30}});
    EXPECT_EQ(plan.maxGroups, (std::vector<uint64_t>{30, 30, 50}));
}

TEST(Plan, UndeclaredGrid_BoundedByTheLimit)
{
    Node node = makeDynamic("b");
    node.declared.declaresMaxGrid = false;
    const Graph graph = linkValid({makeEntry("a", {outputTo("b")}), node});
    const DispatchPlan plan = planKnown(graph, kMiB, {{.node = 0, .payloadCount = 2}});
    EXPECT_EQ(groupsOf(graph, plan, "b"), 2ull * kMaxGroups);
    EXPECT_TRUE(plan.fits);
}

TEST(Plan, CoalescingAndPacked_RoundUp)
{
    Node packed = makePacked("p", {outputTo("t", 2)});
    const Graph graph = linkValid(
        {makeEntry("a", {outputTo("c", 10), outputTo("p", 10)}), makeCoalescing("c", 8), packed, makeNode("t")});
    const DispatchPlan plan = planKnown(graph, 16 * kMiB, {{.node = 0, .payloadCount = 10}});
    EXPECT_EQ(groupsOf(graph, plan, "c"), 13u);
    EXPECT_EQ(groupsOf(graph, plan, "p"), 2u);
    EXPECT_EQ(groupsOf(graph, plan, "t"), 200u);
    ASSERT_TRUE(plan.fits);
    EXPECT_EQ(plan.levels[2].size, 200u);  // by payloads, not by whole groups of 64
    ASSERT_EQ(plan.bases.size(), plan.slots.size());
    for (size_t i = 0; i < plan.slots.size(); ++i) {
        const Slot& slot = graph.slots[plan.slots[i]];
        EXPECT_EQ(plan.bases[i], plan.levels[slot.level].begin);  // one slot of each level emits anything
    }
}

TEST(Plan, SlotsOfALevel_HaveMemoryOfTheirOwn)
{
    const Graph graph =
        linkValid({makeEntry("a", {outputTo("t", 3)}), makeEntry("b", {outputTo("t", 5)}), makeNode("t")});
    const DispatchPlan plan =
        planKnown(graph, 16 * kMiB, {{.node = 0, .payloadCount = 7}, {.node = 1, .payloadCount = 2}});
    ASSERT_TRUE(plan.fits);
    ASSERT_EQ(plan.slots, (std::vector<uint32_t>{0, 1, 2}));
    EXPECT_EQ(plan.bases[0], plan.levels[1].begin);
    EXPECT_EQ(plan.bases[1], plan.bases[0] + 7 * graph.slots[0].granulesPerGroup);
    EXPECT_LE(plan.bases[1] + 2 * graph.slots[1].granulesPerGroup, plan.levels[1].begin + plan.levels[1].size);
}

TEST(Plan, Recursion_Propagates)
{
    Node node = makeEntry("r", {outputTo("r", 3)});
    node.declared.maxRecursion = 3;
    const Graph graph = linkValid({node});
    const DispatchPlan plan = planKnown(graph, kMiB, {{.node = 0, .payloadCount = 2}});
    EXPECT_TRUE(plan.fits);
    EXPECT_EQ(plan.maxGroups, (std::vector<uint64_t>{2, 6, 18, 54}));
}

TEST(Plan, RecursionThatExplodes_Saturates)
{
    Node node = makeEntry("r", {outputTo("r", 1000)});
    node.declared.maxRecursion = 30;
    const Graph graph = linkValid({node});
    const DispatchPlan plan = planKnown(graph, 16 * kMiB, {{.node = 0, .payloadCount = 2}});
    EXPECT_FALSE(plan.fits);
    EXPECT_EQ(plan.maxGroups.back(), UINT64_MAX);
}

TEST(Plan, EmptyGrid_ReachesNothing)
{
    Node entry = makeEntry("a", {outputTo("b")});
    entry.declared.staticGrid[1] = 0;
    const Graph graph = linkValid({entry, makeNode("b")});
    EXPECT_TRUE(planKnown(graph, kMiB, {{.node = 0, .payloadCount = 2}}).slots.empty());
}

TEST(Plan, LevelThatNeedsLittle_LeavesTheRest)
{
    const Graph graph = linkValid(chain(4, 256, 256));
    const DispatchPlan plan = planKnown(graph, 8 * kMiB, {{.node = 0, .payloadCount = 2}});
    ASSERT_FALSE(plan.fits);
    // Two workgroups of 256 payloads of 16 granules each.
    EXPECT_EQ(plan.levels[1].size, 2u * 256 * 16);
    EXPECT_GT(plan.levels[3].size * uint64_t(abi::kGranuleBytes), 3 * kMiB);
    EXPECT_GT(plan.levels[2].size * uint64_t(abi::kGranuleBytes), 3 * kMiB);
}

TEST(Plan, UsesWhatThereIs)
{
    const Graph graph = linkValid(chain(5, 16, 100));
    const uint64_t scratchBytes = 20 * kMiB + 12345;
    const DispatchPlan plan = millrace::graph::plan(graph, scratchBytes, std::nullopt);
    uint64_t bytes = fixedBytes(graph);
    for (const abi::LevelPlan& level : plan.levels)
        bytes += uint64_t(level.size) * abi::kGranuleBytes;
    for (const abi::StreamPlan& stream : plan.streams)
        bytes += uint64_t(stream.capacity) * sizeof(abi::IndexedEntry);
    EXPECT_LE(bytes, scratchBytes);
    EXPECT_GT(bytes, scratchBytes - 64 * 1024);
}

TEST(Plan, MoreThanLocationsReach_IsLeftAlone)
{
    const Graph graph = linkValid(chain(3, 16, 100));
    const DispatchPlan plan = millrace::graph::plan(graph, uint64_t(1) << 40, std::nullopt);
    uint64_t end = 0;
    for (const abi::LevelPlan& level : plan.levels) {
        EXPECT_GE(level.begin, end);
        end = uint64_t(level.begin) + level.size;
    }
    for (const abi::StreamPlan& stream : plan.streams) {
        EXPECT_GE(stream.table, end);
        end = stream.table + (uint64_t(stream.capacity) * sizeof(abi::IndexedEntry) + 15) / 16;
    }
    EXPECT_LE(end, UINT32_MAX);
}

// StreamState::counter has 24 bits for entries and 40 for units.
// Recursion of any depth: its slots below the top one are for what is left to others.
std::vector<Node> depthFirst()
{
    std::vector<Node> nodes{makeEntry("from", {outputTo("tree", 64)}), makePacked("tree", {outputTo("tree", 32)})};
    nodes[1].declared.apiEntry = true;
    nodes[1].declared.maxRecursion = 3;
    nodes[1].decided.depthFirst = 20;
    nodes[1].declared.outputs[0].allocatesInLoop = true;
    nodes[1].declared.outputs[0].perInvocation = true;
    return nodes;
}

TEST(Plan, DepthFirst_FitsWhateverItSends)
{
    const Graph graph = linkValid(depthFirst());
    const DispatchPlan plan =
        planKnown(graph, scratchSizes(graph, 64 * kMiB).maxBytes, {{.node = 0, .payloadCount = 1000}});
    ASSERT_TRUE(plan.fits);
    ASSERT_EQ(plan.slots.size(), 5u);
    EXPECT_EQ(groupsOf(graph, plan, "tree", 3), 1000u);
    EXPECT_EQ(groupsOf(graph, plan, "tree", 2), UINT64_MAX);
    EXPECT_EQ(groupsOf(graph, plan, "tree", 0), UINT64_MAX);
    EXPECT_EQ(plan.inputs[&slotOf(graph, "tree", 1) - graph.slots.data()].records, UINT64_MAX);
    EXPECT_EQ(slotOf(graph, "tree", 3).leftOffset, 16u);
    EXPECT_EQ(graph.queues[slotOf(graph, "tree", 2).queue].stride, 32u);
}

// What nobody needs is for what is left to others: behind the memory of those that have it by number, before that of
// the next level, and all within what there is.
TEST(Plan, DepthFirst_SharesTheRest)
{
    const Graph graph = linkValid(depthFirst());
    const uint64_t bytes = scratchSizes(graph, 64 * kMiB).maxBytes;
    const DispatchPlan plan = planKnown(graph, bytes, {{.node = 0, .payloadCount = 1000}});
    ASSERT_TRUE(plan.fits);
    EXPECT_EQ(plan.levels[1].entryQuota, 1000u);
    EXPECT_EQ(plan.levels[5].size, 0u);  // the last of them leaves nothing
    uint64_t end = plan.bases[0] + uint64_t(plan.levels[1].size);
    for (size_t level = 2; level < 5; ++level) {
        EXPECT_GE(plan.levels[level].begin, end) << level;
        EXPECT_GE(plan.levels[level].size * uint64_t(abi::kGranuleBytes), 10 * kMiB) << level;
        EXPECT_GT(plan.levels[level].entryQuota, 100000u) << level;
        const Slot& receiver = graph.slots[graph.levels[level + 1].slots.front()];
        EXPECT_GE(plan.streams[receiver.stream].capacity, plan.levels[level].entryQuota) << level;
        end = plan.levels[level].begin + uint64_t(plan.levels[level].size);
    }
    for (const abi::StreamPlan& stream : plan.streams)
        end = std::max(end, stream.table + stream.capacity * sizeof(abi::IndexedEntry) / abi::kGranuleBytes);
    EXPECT_LE(end * abi::kGranuleBytes, bytes);
}

TEST(Plan, DepthFirst_WithUnknownInputs)
{
    const Graph graph = linkValid(depthFirst());
    const ScratchSizes sizes = scratchSizes(graph, 0);
    const DispatchPlan plan = millrace::graph::plan(graph, sizes.minBytes, std::nullopt);
    EXPECT_FALSE(plan.fits);
    EXPECT_EQ(plan.slots.size(), 5u);
    for (size_t level = 2; level < 5; ++level)
        EXPECT_GT(plan.levels[level].size, 0u) << level;
}

TEST(Plan, SeveralInvocationsToAPayload)
{
    std::vector<Node> nodes{makeEntry("from", {outputTo("each", 64)}), makePacked("each", {})};
    nodes[1].decided.parts = 4;
    const Graph graph = linkValid(nodes);
    const DispatchPlan plan =
        planKnown(graph, scratchSizes(graph, 64 * kMiB).maxBytes, {{.node = 0, .payloadCount = 10}});
    EXPECT_EQ(groupsOf(graph, plan, "each"), 640u * 4 / nodes[1].decided.packWidth);
}

// Of five slots for what is left to others, there are as many as it takes to make the device busy, and one more.
TEST(Plan, DepthFirst_LeavesAsOftenAsItTakes)
{
    std::vector<Node> nodes = depthFirst();
    nodes[1].declared.maxRecursion = 5;
    nodes[1].decided.busyPayloads = 65536;
    Graph graph = linkValid(nodes);
    const auto slotsWith = [&](uint32_t node, uint64_t payloads) {
        const DispatchPlan plan =
            planKnown(graph, scratchSizes(graph, 64 * kMiB).maxBytes, {{.node = node, .payloadCount = payloads}});
        EXPECT_TRUE(plan.fits);
        const auto last = std::ranges::max(plan.slots, {}, [&](uint32_t s) { return graph.slots[s].level; });
        const auto place = std::ranges::find(plan.slots, last) - plan.slots.begin();
        const auto isOfNode = [&](uint32_t s) { return graph.slots[s].node == 1; };
        const auto count = std::ranges::count_if(plan.slots, isOfNode);
        const auto top = std::ranges::find_if(plan.slots, isOfNode) - plan.slots.begin();
        EXPECT_EQ(graph::slotPlan(graph, plan, static_cast<size_t>(place)).leaving, 0u);
        for (const auto& [at, below] : {std::pair{top, count - 1}, {place - 1, decltype(count){1}}}) {
            const uint32_t leaving = graph::slotPlan(graph, plan, static_cast<size_t>(at)).leaving;
            EXPECT_EQ(leaving % abi::kLeavingStep, below);
            EXPECT_GT(leaving / abi::kLeavingStep, 0u);
        }
        return count;
    };
    EXPECT_EQ(slotsWith(1, 1), 6);
    EXPECT_EQ(slotsWith(1, 1000), 5);
    EXPECT_EQ(slotsWith(1, 10000), 4);
    EXPECT_EQ(slotsWith(1, 60000), 3);
    EXPECT_EQ(slotsWith(0, 1), 6);     // of 64 that may come, four are counted on
    EXPECT_EQ(slotsWith(0, 5000), 4);  // of 320,000
    EXPECT_EQ(slotsWith(0, 10000), 3);
    // Neighbours run what one keeps, so that there is more of it.
    graph.nodes[1].decided.sharers = 32;
    EXPECT_EQ(slotsWith(1, 1), 3);
    EXPECT_EQ(slotsWith(1, 10000), 3);
    EXPECT_EQ(slotsWith(1, 60000), 2);
}

// A dispatch that need not fit has memory at every level, but nobody may leave anything to slots that do not run.
TEST(Plan, DepthFirst_LeavesNothingToSlotsThatDoNotRun)
{
    std::vector<Node> nodes = depthFirst();
    nodes[1].decided.busyPayloads = 16;
    const Graph graph = linkValid(nodes);
    const DispatchPlan plan = planKnown(graph, scratchSizes(graph, 0).minBytes, {{.node = 0, .payloadCount = 1000000}});
    EXPECT_FALSE(plan.fits);
    ASSERT_EQ(plan.slots.size(), 4u);
    EXPECT_GT(plan.levels[graph.slots[plan.slots[3]].level].size, 0u);
    EXPECT_GT(graph::slotPlan(graph, plan, 2).leaving, 0u);
    EXPECT_EQ(graph::slotPlan(graph, plan, 3).leaving, 0u);
}

TEST(Plan, CountersCannotOverflow)
{
    Node node = makeDynamic("b");
    node.declared.declaresMaxGrid = false;
    const Graph graph = linkValid({makeEntry("a", {outputTo("b", 4)}), node});
    const DispatchPlan plan = millrace::graph::plan(graph, uint64_t(4) << 30, std::nullopt);
    EXPECT_LT(uint64_t(plan.streams[1].capacity) * kMaxGroups, uint64_t(1) << abi::kUnitBits);
    EXPECT_LT(plan.streams[0].capacity, 1u << (64 - abi::kUnitBits));

    // A dispatch that fits into memory but not into the counters is not said to fit.
    const uint64_t tooMany = uint64_t(1) << (64 - abi::kUnitBits);
    const Graph single = linkValid({makeDynamic("d")});
    EXPECT_FALSE(planKnown(graph, uint64_t(8) << 30, {{.node = 0, .payloadCount = tooMany}}).fits);
    EXPECT_TRUE(planKnown(graph, uint64_t(8) << 30, {{.node = 0, .payloadCount = 10000}}).fits);
}

TEST(Plan, Bounds_GrowWithTheMemory)
{
    const Graph graph = linkValid(chain(2, 4, 20));
    const std::optional<BoundedPlan> small = planBounded(graph, kMiB);
    const std::optional<BoundedPlan> large = planBounded(graph, 256 * kMiB);
    ASSERT_TRUE(small && large);
    EXPECT_TRUE(small->plan.fits && large->plan.fits);
    EXPECT_GE(small->bound.payloads, 1024u);
    EXPECT_GE(large->bound.payloads, 64 * small->bound.payloads);
    EXPECT_EQ(large->plan.maxGroups[0], large->bound.payloads);
}

TEST(Plan, Bounds_OfWorkgroupsWhereGridsComeWithThePayload)
{
    Node entry = makeDynamic("a");
    entry.declared.apiEntry = true;
    entry.declared.declaresMaxGrid = false;
    entry.declared.outputs = {outputTo("b")};
    const std::optional<BoundedPlan> found = planBounded(linkValid({entry, makeNode("b")}), 16 * kMiB);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->plan.maxGroups[0], found->bound.groups);
    EXPECT_GE(found->bound.groups, found->bound.payloads);
}

TEST(Plan, Bounds_NoneWithoutMemoryForSome)
{
    const Graph graph = linkValid(chain(3, 256, 1024));
    EXPECT_FALSE(planBounded(graph, scratchSizes(graph, 0).minBytes));
}

}  // namespace
}  // namespace millrace::graph
