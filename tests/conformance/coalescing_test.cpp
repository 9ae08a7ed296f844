// SPDX-License-Identifier: Apache-2.0
// Section 4: nodes that take several payloads at once.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Coalescing : public GraphTest {};

constexpr uint32_t kMost = 8;

// out[0]: sum of the payloads; out[1]: their number; out[2]: workgroups with no payload or too many; out[3]:
// workgroups.
Stage gatherer(uint32_t lanes)
{
    return writeNode("gather",
                     [](NodeWriter& node) {
                         node.coalescing();
                         const Id input = node.inputArray({node.word()}, kMost);
                         const Id length = node.length(input);
                         node.onFirstLane([&] {
                             node.body().loop(node.c(0), length, node.c(1),
                                              [&](const Id& i) { node.add(0, node.readPayload(input, i, 0)); });
                             node.add(1, length);
                             const Id wrong = node.body().test(
                                 "OpUGreaterThanEqual", node.body().u("OpISub", length, node.c(1)), node.c(kMost));
                             node.body().ifThen(wrong, [&] { node.add(2, node.c(1)); });
                             node.add(3, node.c(1));
                         });
                     },
                     {lanes, 1, 1});
}

TEST_F(Coalescing, EveryPayloadOnce_UpToTheMaximumAtATime)
{
    std::vector<uint32_t> values(100);
    for (uint32_t i = 0; i < 100; ++i)
        values[i] = i;
    Options options;
    options.unspecified = {3};
    for (uint32_t lanes : {1u, 32u}) {
        for (uint32_t count : {1u, 8u, 9u, 100u}) {
            const Launch launch = launchWords("gather", 0, count, {values.begin(), values.begin() + count});
            const auto result = run({gatherer(lanes)}, {launch}, options);
            EXPECT_EQ(first(result, 3), (std::vector<uint32_t>{count * (count - 1) / 2, count, 0}));
            EXPECT_GE(result[3], (count + kMost - 1) / kMost);
            EXPECT_LE(result[3], count);
        }
    }
}

TEST_F(Coalescing, FromManyWorkgroups)
{
    const Stage from =
        writeNode("from",
                  [](NodeWriter& node) {
                      node.staticGrid(7);
                      OutputOptions options;
                      options.budget = 16;
                      const PayloadArrayType type = node.output("gather", {node.word()}, options);
                      node.send(type, node.plus(node.lane(), node.builtIn("WorkgroupId", 0)), node.c(0), false);
                  },
                  {16, 1, 1});
    Options options;
    options.unspecified = {3};
    const auto result = run({from, gatherer(16)}, {launchWords("from", 0, 1, {})}, options);
    EXPECT_EQ(first(result, 3), (std::vector<uint32_t>{7 * 120 + 16 * 21, 7 * 16, 0}));
}

// Two producers and a loop: the nodes do not run inside those who send to them.
TEST_F(Coalescing, SinglePayloadsInLongRuns)
{
    static constexpr uint32_t kGroups = 40, kLanes = 33, kNodes = 3;
    std::vector<Stage> stages;
    for (const char* name : {"a", "b"}) {
        stages.push_back(writeNode(name,
                                   [](NodeWriter& node) {
                                       node.staticGrid(kGroups);
                                       OutputOptions options;
                                       options.budget = kLanes;
                                       options.arraySize = kNodes;
                                       const PayloadArrayType type = node.output("single", {node.word()}, options);
                                       const Id group = node.builtIn("WorkgroupId", 0);
                                       const Id number = node.plus(node.times(group, node.c(kLanes)), node.lane());
                                       node.send(type, number, node.body().u("OpUMod", group, node.c(kNodes)), false);
                                   },
                                   {kLanes, 1, 1}));
    }
    for (uint32_t index = 0; index < kNodes; ++index) {
        stages.push_back(writeNode("single", [index](NodeWriter& node) {
            node.coalescing();
            const Id input = node.input();
            const Id payload = node.readPayload(input, node.c(0), 0);
            node.body().loop(node.c(0), node.c(2), node.c(1), [&](const Id&) {
                node.add(2 * index, payload);
                node.add(2 * index + 1, node.c(1));
            });
        }));
        stages.back().index = index;
    }
    std::vector<uint32_t> expected(2 * kNodes);
    for (uint32_t i = 0; i < kGroups * kLanes; ++i) {
        expected[i / kLanes % kNodes * 2] += 2 * 2 * i;
        expected[i / kLanes % kNodes * 2 + 1] += 2 * 2;
    }
    const auto result = run(stages, {launchWords("a", 0, 1, {}), launchWords("b", 0, 1, {})});
    EXPECT_EQ(first(result, 2 * kNodes), expected);
}

TEST_F(Coalescing, Length_OneInOtherNodes)
{
    const Stage fixed = writeNode("fixed", [](NodeWriter& node) {
        node.staticGrid(2);
        node.add(0, node.length(node.input()));
    });
    const Stage dynamic = writeNode("dynamic", [](NodeWriter& node) {
        node.add(1, node.length(node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX")})));
    });
    const auto result =
        run({fixed, dynamic}, {launchWords("fixed", 0, 2, {0, 0}), launchWords("dynamic", 0, 2, {1, 4})});
    EXPECT_EQ(result[0], 4u);
    EXPECT_EQ(result[1], 5u);
}

TEST_F(Coalescing, Input_CanBeWrittenForTheWorkgroup)
{
    const Stage node =
        writeNode("node",
                  [](NodeWriter& writer) {
                      writer.coalescing();
                      const Id input = writer.inputArray({writer.word()}, kMost);
                      const Id length = writer.length(input);
                      writer.body().ifThen(writer.body().test("OpULessThan", writer.lane(), length), [&] {
                          const Id value = writer.readPayload(input, writer.lane(), 0);
                          writer.writePayload(input, writer.lane(), 0, writer.times(value, writer.c(3)));
                      });
                      writer.body().controlBarrier();
                      writer.onFirstLane([&] {
                          writer.body().loop(writer.c(0), length, writer.c(1),
                                             [&](const Id& i) { writer.add(0, writer.readPayload(input, i, 0)); });
                      });
                  },
                  {kMost, 1, 1});
    std::vector<uint32_t> values(20);
    for (uint32_t i = 0; i < 20; ++i)
        values[i] = i;
    EXPECT_EQ(run({node}, {launchWords("node", 0, 20, values)})[0], 3u * 190);
}

}  // namespace

}  // namespace millrace::conformance
