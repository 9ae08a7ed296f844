// SPDX-License-Identifier: Apache-2.0
// Section 4: allocating and enqueueing payloads, and how many of them.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Enqueue : public GraphTest {};
class Budget : public GraphTest {};

OutputOptions budgetOf(uint32_t count)
{
    OutputOptions options;
    options.budget = count;
    return options;
}

TEST_F(Enqueue, InvocationScope_OwnCountAndOwnIndex)
{
    // Invocation i sends i % 3 payloads with value i to node i % 2, and says how many it got.
    const Stage from = writeNode(
        "from",
        [](NodeWriter& node) {
            node.staticGrid(1);
            const PayloadArrayType type = node.output("to", {node.word()}, budgetOf(8));
            const Id count = node.body().u("OpUMod", node.lane(), node.c(3));
            const Id array = node.allocate(type, count, node.body().u("OpBitwiseAnd", node.lane(), node.c(1)), false);
            node.add(node.plus(node.c(8), node.lane()), node.length(array));
            node.body().loop(node.c(0), count, node.c(1),
                             [&](const Id& i) { node.writePayload(array, i, 0, node.lane()); });
            node.enqueue(array);
        },
        {8, 1, 1});
    const auto result = run({from, adder("to", 0, 0), adder("to", 2, 1)}, {launchWords("from", 0, 1, {})});
    // To node 0: invocations 2 (twice), 4 (once); to node 1: 1 (once), 5 (twice), 7 (once).
    EXPECT_EQ(first(result, 16), (std::vector<uint32_t>{8, 3, 18, 4, 0, 0, 0, 0, 0, 1, 2, 0, 1, 2, 0, 1}));
}

// Several of them may share a subgroup, of which none knows the others.
TEST_F(Enqueue, SmallWorkgroups_EachSendsItsOwn)
{
    for (const uint32_t size : {1u, 4u, 8u, 16u}) {
        for (const bool byWorkgroup : {false, true}) {
            SCOPED_TRACE(std::to_string(size) + (byWorkgroup ? ", together" : ""));
            // Invocation i of workgroup (x, y, z) sends 10 * y + i to node (x + z) % 2 if x + i is even, or one does so
            // for all.
            const Stage from = writeNode(
                "from",
                [&](NodeWriter& node) {
                    node.staticGrid(5, 3, 2);
                    const Id x = node.builtIn("WorkgroupId", 0), y = node.builtIn("WorkgroupId", 1);
                    const Id who = byWorkgroup ? node.c(0) : node.lane();
                    const Id count = node.body().u("OpBitwiseAnd", node.plus(node.plus(x, who), node.c(1)), node.c(1));
                    const Id index =
                        node.body().u("OpBitwiseAnd", node.plus(x, node.builtIn("WorkgroupId", 2)), node.c(1));
                    const Id array =
                        node.allocate(node.output("to", {node.word()}, budgetOf(16)), count, index, byWorkgroup);
                    node.body().ifThen(node.body().test("OpINotEqual", count, node.c(0)), [&] {
                        node.writePayload(array, node.c(0), 0, node.plus(node.times(node.c(10), y), who));
                    });
                    node.enqueue(array);
                },
                {size, 1, 1});
            std::vector<uint32_t> wanted(4);
            for (uint32_t group = 0; group < 30; ++group) {
                const uint32_t x = group % 5, y = group / 5 % 3, z = group / 15;
                for (uint32_t i = 0; i < (byWorkgroup ? 1 : size); ++i) {
                    const uint32_t sent = (x + i + 1) & 1, to = (x + z) & 1;
                    wanted[2 * to] += 7 * sent * (10 * y + i);
                    wanted[2 * to + 1] += 7 * sent;
                }
            }
            Options options;
            options.fusion = "off";
            const auto result =
                run({from, adder("to", 0, 0), adder("to", 2, 1)}, {launchWords("from", 0, 7, {})}, options);
            EXPECT_EQ(first(result, 4), wanted);
        }
    }
}

TEST_F(Enqueue, WorkgroupScope_OneArrayForAllInvocations)
{
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(3);
                                     const Id array = node.allocate(node.output("to", {node.word()}, budgetOf(64)),
                                                                    node.c(64), node.c(0));
                                     node.writePayload(array, node.lane(), 0, node.lane());
                                     node.onFirstLane([&] { node.add(2, node.length(array)); });
                                     node.enqueue(array);
                                 },
                                 {64, 1, 1});
    EXPECT_EQ(first(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}), 3),
              (std::vector<uint32_t>{3 * 64 * 63 / 2, 3 * 64, 3 * 64}));
}

// As real shaders do it: one invocation writes, then all enqueue without a barrier.
TEST_F(Enqueue, OrdersTheWritesOfAllInvocations)
{
    const Stage from = writeNode(
        "from",
        [](NodeWriter& node) {
            node.staticGrid(8);
            const Id array = node.allocate(node.output("to", {node.word()}, budgetOf(16)), node.c(16), node.c(0));
            node.body().ifThen(node.body().test("OpIEqual", node.lane(), node.c(63)), [&] {
                node.body().loop(node.c(0), node.c(16), node.c(1),
                                 [&](const Id& i) { node.writePayload(array, i, 0, node.plus(i, node.c(5))); });
            });
            node.enqueue(array);
        },
        {64, 1, 1});
    EXPECT_EQ(first(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}), 2),
              (std::vector<uint32_t>{8 * (120 + 16 * 5), 8 * 16}));
}

TEST_F(Enqueue, OneAllocation_RunsManyTimes)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        const PayloadArrayType type = node.output("to", {node.word()}, budgetOf(6));
        node.body().loop(node.c(0), node.c(3), node.c(1), [&](const Id& i) {
            const Id array = node.allocate(type, node.c(2), i);
            node.writePayload(array, node.c(0), 0, i);
            node.writePayload(array, node.c(1), 0, node.c(10));
            node.enqueue(array);
        });
    });
    const auto result =
        run({from, adder("to", 0, 0), adder("to", 2, 1), adder("to", 4, 2)}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 6), (std::vector<uint32_t>{10, 2, 11, 2, 12, 2}));
}

TEST_F(Enqueue, Forgotten_HappensAtTheEndOfTheWorkgroup)
{
    for (bool workgroup : {true, false}) {
        const Stage from = writeNode("from",
                                     [&](NodeWriter& node) {
                                         node.staticGrid(1);
                                         const Id array = node.allocate(node.output("to", {node.word()}, budgetOf(4)),
                                                                        node.c(1), node.c(0), workgroup);
                                         node.writePayload(array, node.c(0), 0, node.c(7));
                                     },
                                     {4, 1, 1});
        const uint32_t count = workgroup ? 1 : 4;
        EXPECT_EQ(first(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}), 2),
                  (std::vector<uint32_t>{7 * count, count}));
    }
}

// The grid is only known when the workgroup ends.
TEST_F(Enqueue, Forgotten_WithAGridInThePayload)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        const Id array = node.allocate(node.output("to", {node.word()}), node.c(1), node.c(0));
        node.writePayload(array, node.c(0), 0, node.c(1));
        node.writePayload(array, node.c(0), 0, node.c(5));
    });
    const Stage to = writeNode("to", [](NodeWriter& node) {
        node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX")});
        node.add(0, node.c(1));
    });
    EXPECT_EQ(run({from, to}, {launchWords("from", 0, 1, {})})[0], 5u);
}

TEST_F(Enqueue, NoPayloads_SendsNothing)
{
    for (bool workgroup : {true, false}) {
        const Stage from = writeNode("from",
                                     [&](NodeWriter& node) {
                                         node.staticGrid(1);
                                         const Id array = node.allocate(node.output("to", {node.word()}, budgetOf(4)),
                                                                        node.c(0), node.c(0), workgroup);
                                         node.add(2, node.length(array));
                                         node.enqueue(array);
                                         node.add(3, node.c(1));
                                     },
                                     {4, 1, 1});
        EXPECT_EQ(first(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}), 4),
                  (std::vector<uint32_t>{0, 0, 0, 4}));
    }
}

TEST_F(Enqueue, Payloads_CanBeReadBack)
{
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(1);
                                     const Id array = node.allocate(node.output("to", {node.word()}, budgetOf(8)),
                                                                    node.c(8), node.c(0));
                                     node.writePayload(array, node.lane(), 0, node.plus(node.lane(), node.c(1)));
                                     node.body().controlBarrier();
                                     const Id opposite = node.body().u("OpISub", node.c(7), node.lane());
                                     node.add(node.plus(node.lane(), node.c(2)), node.readPayload(array, opposite, 0));
                                     node.body().controlBarrier();
                                     node.enqueue(array);
                                 },
                                 {8, 1, 1});
    EXPECT_EQ(first(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}), 10),
              (std::vector<uint32_t>{36, 8, 8, 7, 6, 5, 4, 3, 2, 1}));
}

// Nothing in the payload tells this node how many workgroups its producers had: all must have run before it.
TEST_F(Enqueue, SeveralTypesToOneNode)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        const PayloadArrayType a = node.output("to", {node.word()}, budgetOf(1));
        const PayloadArrayType b = node.output("to", {node.word()}, budgetOf(2));
        node.send(b, node.c(3), node.c(0));
        node.send(a, node.c(1), node.c(0));
        node.send(b, node.c(3), node.c(0));
    });
    EXPECT_EQ(first(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}), 2), (std::vector<uint32_t>{7, 3}));
}

// As in AMD's sample: 256 invocations allocate one each.
TEST_F(Budget, IsThatOfTheWholeWorkgroup)
{
    const Stage from =
        writeNode("from",
                  [](NodeWriter& node) {
                      node.staticGrid(4);
                      node.send(node.output("to", {node.word()}, budgetOf(256)), node.lane(), node.c(0), false);
                  },
                  {256, 1, 1});
    EXPECT_EQ(first(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}), 2),
              (std::vector<uint32_t>{4 * 256 * 255 / 2, 4 * 256}));
}

TEST_F(Budget, ManyAllocations_ShareIt)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(2);
        const PayloadArrayType type = node.output("to", {node.word()}, budgetOf(256));
        node.body().loop(node.c(0), node.c(255), node.c(1), [&](const Id& i) { node.send(type, i, node.c(0)); });
        node.send(type, node.c(1000), node.c(0));
    });
    EXPECT_EQ(first(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})}), 2),
              (std::vector<uint32_t>{2 * (255 * 254 / 2 + 1000), 512}));
}

TEST_F(Budget, Shared_IsThatOfTheNamedType)
{
    // All that the second type may have comes from the first one's six.
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(3);
        const PayloadArrayType owner = node.output("one", {node.word()}, budgetOf(6));
        OutputOptions options;
        options.budget = 1;
        options.sharesWith = owner.array;
        const PayloadArrayType guest = node.output("two", {node.word()}, options);
        const Id many = node.allocate(guest, node.c(5), node.c(0));
        for (uint32_t i = 0; i < 5; ++i)
            node.writePayload(many, node.c(i), 0, node.c(i));
        node.enqueue(many);
        node.send(owner, node.c(8), node.c(0));
    });
    EXPECT_EQ(first(run({from, adder("one", 0), adder("two", 2)}, {launchWords("from", 0, 1, {})}), 4),
              (std::vector<uint32_t>{24, 3, 30, 15}));
}

}  // namespace

}  // namespace millrace::conformance
