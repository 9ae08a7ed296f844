// SPDX-License-Identifier: Apache-2.0
// Budgets against numbers worked out by hand.
#include "graph/budgets.h"
#include "build_nodes.h"

namespace millrace::graph {
namespace {

Node consumer(const std::string& name, uint32_t bytes, uint32_t index = 0)
{
    Node node = makeNode(name, {}, index);
    node.declared.payloadBytes = bytes;
    return node;
}

const Slot producerSlot(const Node& producer, std::vector<Node> others)
{
    others.insert(others.begin(), producer);
    return slotOf(linkValid(std::move(others)), producer.declared.id.name);
}

TEST(Strides, PayloadThenFinishCountersThenAlignment)
{
    Node base = makeEntry("a");
    base.declared.payloadBytes = 22;
    base.declared.usesFinishWriting = true;
    Node first = sharing(makeNode("s", {}, 0), {"a", 0});
    Node second = sharing(makeNode("s", {}, 1), {"a", 0});
    second.declared.usesFinishWriting = true;
    const Graph graph = linkValid({base, first, second});
    const Queue& queue = queueOf(graph, "a");
    EXPECT_EQ(queue.finishOffset, 24u);
    EXPECT_EQ(queue.finishCount, 2u);
    EXPECT_EQ(queue.stride, 32u);
    EXPECT_EQ(slotOf(graph, "a").finishOffset, 24u);
    EXPECT_EQ(slotOf(graph, "s", 0, 0).finishOffset, abi::kNoOffset);
    EXPECT_EQ(slotOf(graph, "s", 0, 1).finishOffset, 28u);
}

TEST(Strides, AlignedToTheStrictestConsumer)
{
    Node base = makeEntry("a");
    base.declared.payloadBytes = 12;
    Node sharer = sharing(makeNode("s"), {"a", 0});
    sharer.declared.payloadBytes = 8;
    sharer.declared.payloadAlignment = 8;
    EXPECT_EQ(queueOf(linkValid({base}), "a").stride, 12u);
    EXPECT_EQ(queueOf(linkValid({base, sharer}), "a").stride, 16u);
}

TEST(Budgets, WorkgroupScope_OneRun)
{
    // One run of 10 x 20 bytes.
    const Slot slot = producerSlot(makeEntry("p", {outputTo("c", 10, 20)}), {consumer("c", 20)});
    EXPECT_EQ(slot.granulesPerGroup, 13u);
    EXPECT_EQ(slot.entriesPerGroup, 1u);
}

TEST(Budgets, WorkgroupScope_RunPerSite)
{
    Node producer = makeEntry("p", {outputTo("c", 10, 20)});
    producer.declared.outputs[0].allocationSites = 3;
    // 200 bytes in three runs that lose 12 bytes each at most: 236 / 16.
    const Slot slot = producerSlot(producer, {consumer("c", 20)});
    EXPECT_EQ(slot.granulesPerGroup, 14u);
    EXPECT_EQ(slot.entriesPerGroup, 3u);
}

TEST(Budgets, WorkgroupScopeInLoop_RunPerPayload)
{
    Node producer = makeEntry("p", {outputTo("c", 10, 20)});
    producer.declared.outputs[0].allocatesInLoop = true;
    const Slot slot = producerSlot(producer, {consumer("c", 20)});
    EXPECT_EQ(slot.granulesPerGroup, 20u);
    EXPECT_EQ(slot.entriesPerGroup, 10u);
}

TEST(Budgets, WholeGranules_LoseNothing)
{
    Node producer = makeEntry("p", {outputTo("c", 10, 32)});
    producer.declared.outputs[0].allocatesInLoop = true;
    EXPECT_EQ(producerSlot(producer, {consumer("c", 32)}).granulesPerGroup, 20u);
}

TEST(Budgets, PaddingOfEightByteStrides)
{
    Node producer = makeEntry("p", {outputTo("c", 4, 24)});
    producer.declared.outputs[0].allocationSites = 2;
    // 96 bytes in two runs that lose 8 bytes each at most: two runs of 24 and 72 bytes are 2 + 5 granules.
    EXPECT_EQ(producerSlot(producer, {consumer("c", 24)}).granulesPerGroup, 7u);
}

TEST(Budgets, InvocationScope_RunPerTarget)
{
    Node producer = makeEntry("p", {arrayTo("c", 3, 100, 4)});
    producer.declared.outputs[0].perInvocation = true;
    producer.declared.localSize[0] = 32;
    // 400 bytes in three runs that lose 12 each at most.
    const Slot slot = producerSlot(producer, {consumer("c", 4, 0), consumer("c", 4, 1), consumer("c", 4, 2)});
    EXPECT_EQ(slot.granulesPerGroup, 27u);
    EXPECT_EQ(slot.entriesPerGroup, 1u);
}

TEST(Budgets, InvocationScope_NoMoreTargetsThanInvocations)
{
    Node producer = makeEntry("p", {arrayTo("c", 3, 100, 4)});
    producer.declared.outputs[0].perInvocation = true;
    producer.declared.localSize[0] = 2;
    EXPECT_EQ(producerSlot(producer, {consumer("c", 4, 0), consumer("c", 4, 1), consumer("c", 4, 2)}).granulesPerGroup,
              26u);
}

TEST(Budgets, LargestTargetCounts)
{
    Node producer = makeEntry("p", {arrayTo("c", 2, 10, 16)});
    Node shared = sharing(makeNode("s"), {"c", 1});
    shared.declared.usesFinishWriting = true;  // makes the stride of c[1] 32
    const Slot slot = producerSlot(producer, {makeNode("c"), makeNode("c", {}, 1), shared});
    EXPECT_EQ(slot.granulesPerGroup, 20u);
}

TEST(Budgets, SharedLimit_CountsOnceWithTheLargestStride)
{
    Node producer = makeEntry("p", {outputTo("c", 10, 32), outputTo("d", 1, 64)});
    producer.declared.outputs[1].budgetPool = 0;
    const Slot slot = producerSlot(producer, {consumer("c", 32), consumer("d", 64)});
    EXPECT_EQ(slot.granulesPerGroup, 40u);
    EXPECT_EQ(slot.entriesPerGroup, 1u);
}

TEST(Budgets, TwoTypesToOneNode_Add)
{
    Node producer = makeEntry("p", {outputTo("c", 10), outputTo("c", 5)});
    producer.declared.outputs[0].allocatesInLoop = true;
    Slot slot = producerSlot(producer, {makeNode("c")});
    EXPECT_EQ(slot.granulesPerGroup, 15u);
    EXPECT_EQ(slot.entriesPerGroup, 11u);
    producer.declared.outputs[1].budgetPool = 0;
    slot = producerSlot(producer, {makeNode("c")});
    EXPECT_EQ(slot.granulesPerGroup, 10u);
    EXPECT_EQ(slot.entriesPerGroup, 10u);
}

TEST(Budgets, DynamicConsumer_EntryPerPayload)
{
    const Slot slot = producerSlot(makeEntry("p", {outputTo("c", 10), outputTo("c", 5)}), {makeDynamic("c")});
    EXPECT_EQ(slot.entriesPerGroup, 15u);
}

TEST(Budgets, DynamicSharer_EntryPerPayload)
{
    const Slot slot =
        producerSlot(makeEntry("p", {outputTo("c", 10)}), {makeNode("c"), sharing(makeDynamic("d"), {"c", 0})});
    EXPECT_EQ(slot.entriesPerGroup, 10u);
}

TEST(Budgets, Packed_TimesWidth)
{
    Node producer = makePacked("p", {outputTo("c", 2, 20)});
    producer.declared.apiEntry = true;
    producer.declared.outputs[0].perInvocation = true;
    // 40 bytes in a run per invocation.
    const Slot slot = producerSlot(producer, {consumer("c", 20)});
    EXPECT_EQ(slot.granulesPerGroup, 3u * 64);
    EXPECT_EQ(slot.entriesPerGroup, 64u);
}

TEST(Budgets, SendersSideBySide_RunPerInvocation)
{
    Node producer = makeEntry("p", {arrayTo("c", 3, 8, 20)});
    producer.declared.outputs[0].perInvocation = true;
    producer.declared.localSize[0] = 4;
    const auto slot = [&] {
        return producerSlot(producer, {consumer("c", 20, 0), consumer("c", 20, 1), consumer("c", 20, 2)});
    };
    // 160 bytes in three runs that lose 12 each at most.
    EXPECT_EQ(slot().granulesPerGroup, 12u);
    EXPECT_EQ(slot().entriesPerGroup, 1u);
    producer.decided.packWidth = 5;
    // In four runs, of each of five workgroups; all of them may be to one node.
    EXPECT_EQ(slot().granulesPerGroup, 13u * 5);
    EXPECT_EQ(slot().entriesPerGroup, 4u * 5);
}

TEST(Budgets, RecursionLeaf_EmitsNothingToItself)
{
    Node node = makeEntry("r", {outputTo("r", 4), outputTo("t", 2)});
    node.declared.maxRecursion = 3;
    const Graph graph = linkValid({node, makeNode("t")});
    EXPECT_EQ(slotOf(graph, "r", 3).granulesPerGroup, 6u);
    EXPECT_EQ(slotOf(graph, "r", 1).granulesPerGroup, 6u);
    EXPECT_EQ(slotOf(graph, "r", 0).granulesPerGroup, 2u);
}

TEST(Budgets, MaxGroupsPerPayload)
{
    Node node = makeDynamic("d", 100);
    EXPECT_EQ(maxGroupsPerPayload(node.declared), 100u);
    node.declared.maxGrid[0] = node.declared.maxGrid[1] = node.declared.maxGrid[2] = 65535;
    EXPECT_EQ(maxGroupsPerPayload(node.declared), kMaxGroups);
    node.declared.declaresMaxGrid = false;
    node.declared.maxGrid[0] = 1;
    EXPECT_EQ(maxGroupsPerPayload(node.declared), kMaxGroups);
}

}  // namespace
}  // namespace millrace::graph
