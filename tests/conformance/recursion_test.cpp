// SPDX-License-Identifier: Apache-2.0
// Section 4: nodes that send payloads to themselves.
#include <numeric>

#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Recursion : public GraphTest {};

// Counts its runs in out[first + remaining levels] and sends itself `fan` payloads while it may.
Stage recursive(const std::string& name, uint32_t index, uint32_t levels, uint32_t fan, uint32_t first)
{
    return writeNode(name, [&](NodeWriter& node) {
        node.staticGrid(1);
        node.mode("ShaderIndexAMDX " + node.c(index));
        node.mode("MaxNodeRecursionAMDX " + node.c(levels));
        node.input();
        OutputOptions options;
        options.budget = fan;
        const PayloadArrayType type = node.output(name, {node.word()}, options);
        const Id remaining = node.builtIn("RemainingRecursionLevelsAMDX");
        node.add(node.plus(remaining, node.c(first)), node.c(1));
        node.body().ifThen(node.isValid(type, node.c(index)), [&] {
            const Id array = node.allocate(type, node.c(fan), node.c(index));
            for (uint32_t i = 0; i < fan; ++i)
                node.writePayload(array, node.c(i), 0, node.c(i));
            node.enqueue(array);
        });
    });
}

TEST_F(Recursion, RunsOnceMoreThanItsMaximum)
{
    EXPECT_EQ(first(run({recursive("node", 0, 4, 1, 0)}, {launchWords("node", 0, 3, {0, 0, 0})}), 6),
              (std::vector<uint32_t>{3, 3, 3, 3, 3, 0}));
}

TEST_F(Recursion, Multiplies)
{
    EXPECT_EQ(first(run({recursive("node", 0, 4, 3, 0)}, {launchWords("node", 0, 1, {0})}), 6),
              (std::vector<uint32_t>{81, 27, 9, 3, 1, 0}));
}

TEST_F(Recursion, RemainingLevels_ZeroInOtherNodes)
{
    const Stage node = writeNode("node", [](NodeWriter& writer) {
        writer.staticGrid(1);
        writer.add(writer.builtIn("RemainingRecursionLevelsAMDX"), writer.c(1));
    });
    EXPECT_EQ(first(run({node}, {launchWords("node", 0, 1, {})}), 2), (std::vector<uint32_t>{1, 0}));
}

TEST_F(Recursion, FromAnotherNode_BeginsAtTheMaximum)
{
    const auto result = run({senderOf("from", "node", 2), recursive("node", 0, 3, 1, 0)},
                            {launchWords("from", 0, 1, {}), launchWords("node", 0, 1, {0})});
    EXPECT_EQ(first(result, 5), (std::vector<uint32_t>{3, 3, 3, 3, 0}));
}

TEST_F(Recursion, EachNameAndIndex_OnItsOwn)
{
    const auto result =
        run({recursive("node", 0, 1, 2, 0), recursive("node", 1, 3, 1, 8), recursive("other", 0, 2, 2, 16)},
            {launchWords("node", 0, 1, {0}), launchWords("node", 1, 1, {0}), launchWords("other", 0, 1, {0})});
    EXPECT_EQ(first(result, 24),
              (std::vector<uint32_t>{2, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 4, 2, 1, 0, 0, 0, 0, 0}));
}

// A node below runs after all levels of the recursion, whichever of them sent to it.
TEST_F(Recursion, EveryLevelCanSendToOtherNodes)
{
    const Stage node = writeNode("node", [](NodeWriter& writer) {
        writer.staticGrid(1);
        writer.mode("MaxNodeRecursionAMDX " + writer.c(5));
        writer.input();
        const PayloadArrayType self = writer.output("node", {writer.word()});
        const PayloadArrayType sink = writer.output("sink", {writer.word()});
        writer.send(sink, writer.builtIn("RemainingRecursionLevelsAMDX"), writer.c(0));
        writer.body().ifThen(writer.isValid(self, writer.c(0)), [&] { writer.send(self, writer.c(0), writer.c(0)); });
    });
    EXPECT_EQ(first(run({node, adder("sink", 0)}, {launchWords("node", 0, 2, {0, 0})}), 2),
              (std::vector<uint32_t>{30, 12}));
}

// One invocation of the subgroup sends, and the node writes its input afterwards: nothing says to a driver that all of
// the subgroup are there when memory is divided among them. The shape of a random graph in which a driver left the one
// that sends out of a maximum over all (docs/gpu.md, "What drivers do"); that driver runs this one rightly.
TEST_F(Recursion, OneInvocationOfMany_SendsMany_AndWritesItsInput)
{
    static constexpr uint32_t kPayloads = 185, kEach = 16, kSender = 3, kFan = 38, kLanes = 64;
    const Stage node = writeNode(
        "node",
        [](NodeWriter& writer) {
            BodyText& body = writer.body();
            writer.coalescing();
            writer.mode("MaxNodeRecursionAMDX " + writer.c(1));
            const Id input = writer.inputArray({writer.word()}, 1);
            OutputOptions options;
            options.budget = kFan;
            const PayloadArrayType self = writer.output("node", {writer.word()}, options);
            const Id length = writer.length(input);
            writer.onFirstLane([&] { writer.add(0, length); });
            body.loop(writer.c(0), length, writer.c(kLanes), [&](const Id& begin) {
                const Id p = writer.plus(begin, writer.lane());
                const Id isThere = body.test("OpULessThan", p, length);
                const Id key = body.variable(writer.uintType());
                body.store(key, writer.c(0));
                body.ifThen(isThere, [&] { body.store(key, writer.readPayload(input, p, 0)); });
                const Id rest = body.u("OpUMod", body.load(writer.uintType(), key), writer.c(kEach));
                const Id count =
                    body.select(body.test("OpIEqual", rest, writer.c(kSender)), writer.c(kFan), writer.c(0));
                const Id remaining = writer.builtIn("RemainingRecursionLevelsAMDX");
                body.ifThen(body.test("OpUGreaterThan", remaining, writer.c(0)), [&] {
                    const Id array = writer.allocate(self, count, writer.c(0), false);
                    body.loop(writer.c(0), count, writer.c(1),
                              [&](const Id& i) { writer.writePayload(array, i, 0, writer.times(i, writer.c(kEach))); });
                });
            });
            body.controlBarrier();
            body.loop(writer.lane(), length, writer.c(kLanes), [&](const Id& p) {
                const Id value = writer.readPayload(input, p, 0);
                writer.add(1, value);
                writer.writePayload(input, p, 0, writer.plus(value, writer.c(1)));
            });
            body.controlBarrier();
        },
        {kLanes, 1, 1});
    std::vector<uint32_t> keys(kPayloads);
    std::iota(keys.begin(), keys.end(), 0u);
    const uint32_t senders = (kPayloads + kEach - 1 - kSender) / kEach;
    EXPECT_EQ(first(run({node}, {launchWords("node", 0, kPayloads, keys)}), 2),
              (std::vector<uint32_t>{kPayloads + senders * kFan,
                                     kPayloads * (kPayloads - 1) / 2 + senders * kEach * kFan * (kFan - 1) / 2}));
}

TEST_F(Recursion, ThroughAnotherNode_IsRefused)
{
    const auto forward = [](const std::string& name, const std::string& to) {
        return writeNode(name, [&](NodeWriter& node) {
            node.staticGrid(1);
            node.input();
            node.send(node.output(to, {node.word()}), node.c(0), node.c(0));
        });
    };
    expectRefused({forward("a", "b"), forward("b", "a")}, "'a'");
}

TEST_F(Recursion, BeyondMaxExecutionGraphDepth_IsRefused)
{
    expectRefused({recursive("node", 0, device().limits.maxExecutionGraphDepth, 1, 0)}, "maxExecutionGraphDepth");
}

}  // namespace

}  // namespace millrace::conformance
