// SPDX-License-Identifier: Apache-2.0
// Section 4: nodes that share the input of another node.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class SharedInput : public GraphTest {};

void share(NodeWriter& node, const std::string& base, uint32_t index = 0)
{
    node.noEntry();
    node.mode("SharesInputWithAMDX " + node.module().stringConstant(base) + " " + node.c(index));
}

// Adds the payload's word to out[word]; shares the input of base[index].
Stage sharer(const std::string& name, const std::string& base, uint32_t word, uint32_t index = 0)
{
    return writeNode(name, [&](NodeWriter& node) {
        node.staticGrid(1);
        share(node, base, index);
        node.add(word, node.readPayload(node.input(), node.c(0), 0));
    });
}

TEST_F(SharedInput, EveryNodeRuns_FromNodesAndFromTheApi)
{
    const std::vector<Stage> stages = {senderOf("from", "base", 3), adder("base", 0), sharer("twin", "base", 2),
                                       sharer("third", "base", 3)};
    EXPECT_EQ(first(run(stages, {launchWords("from", 0, 1, {})}), 4), (std::vector<uint32_t>{6, 3, 6, 6}));
    EXPECT_EQ(first(run(stages, {launchWords("base", 0, 2, {10, 20})}), 4), (std::vector<uint32_t>{30, 2, 30, 30}));
}

TEST_F(SharedInput, EachHasItsOwnGrid)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.budget = 20;
        const Id array = node.allocate(node.output("base", {node.word()}, options), node.c(20), node.c(0));
        node.body().loop(node.c(0), node.c(20), node.c(1), [&](const Id& i) { node.writePayload(array, i, 0, i); });
        node.enqueue(array);
    });
    const auto counting = [](const std::string& name, uint32_t word, const std::function<void(NodeWriter&)>& grid,
                             uint32_t lanes) {
        return writeNode(name,
                         [&](NodeWriter& node) {
                             grid(node);
                             if (name != "base")
                                 share(node, "base");
                             node.onFirstLane([&] { node.add(word, node.c(1)); });
                         },
                         {lanes, 1, 1});
    };
    const auto fromPayload = [](NodeWriter& node) { node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX")}); };
    const auto fixed = [](NodeWriter& node) {
        node.staticGrid(3, 2);
        node.input();
    };
    const Stage gather = writeNode("gather",
                                   [](NodeWriter& node) {
                                       node.coalescing();
                                       share(node, "base");
                                       const Id input = node.inputArray({node.word()}, 6);
                                       node.onFirstLane([&] { node.add(2, node.length(input)); });
                                   },
                                   {4, 1, 1});
    const Stage single = writeNode("single", [](NodeWriter& node) {
        node.coalescing();
        share(node, "base");
        node.add(3, node.readPayload(node.input(), node.c(0), 0));
    });
    const auto result = run({from, counting("base", 0, fromPayload, 2), counting("fixed", 1, fixed, 4), gather, single},
                            {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 4), (std::vector<uint32_t>{190, 120, 20, 190}));
}

TEST_F(SharedInput, BaseIsFoundByNameAndIndex)
{
    const auto result = run({adder("base", 0, 0), adder("base", 2, 1), sharer("twin", "base", 4, 1)},
                            {launchWords("base", 0, 1, {5}), launchWords("base", 1, 1, {7})});
    EXPECT_EQ(first(result, 5), (std::vector<uint32_t>{5, 1, 7, 1, 7}));
}

TEST_F(SharedInput, SharersSendPayloadsToo)
{
    const Stage twin = writeNode("twin", [](NodeWriter& node) {
        node.staticGrid(1);
        share(node, "base");
        const Id value = node.readPayload(node.input(), node.c(0), 0);
        node.send(node.output("sink", {node.word()}), node.times(value, node.c(2)), node.c(0));
    });
    const auto result =
        run({senderOf("from", "base", 4), adder("base", 0), twin, adder("sink", 2)}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 4), (std::vector<uint32_t>{10, 4, 20, 4}));
}

TEST_F(SharedInput, OfARecursiveNode_RunsAtEveryLevel)
{
    const Stage base = writeNode("base", [](NodeWriter& node) {
        node.staticGrid(1);
        node.mode("MaxNodeRecursionAMDX " + node.c(3));
        const Id value = node.readPayload(node.input(), node.c(0), 0);
        const PayloadArrayType self = node.output("base", {node.word()});
        node.add(0, value);
        node.body().ifThen(node.isValid(self, node.c(0)),
                           [&] { node.send(self, node.times(value, node.c(10)), node.c(0)); });
    });
    const auto result = run({base, sharer("twin", "base", 1)}, {launchWords("base", 0, 1, {1})});
    EXPECT_EQ(first(result, 2), (std::vector<uint32_t>{1111, 1111}));
}

TEST_F(SharedInput, BaseMissing_NeverRuns)
{
    Options options;
    options.onOracle = false;  // which takes it for an error: nothing is stated
    EXPECT_EQ(first(run({adder("other", 0), sharer("twin", "base", 2)}, {launchWords("other", 0, 1, {5})}, options), 3),
              (std::vector<uint32_t>{5, 1, 0}));
}

TEST_F(SharedInput, Chained_IsRefused)
{
    expectRefused({adder("base", 0), sharer("twin", "base", 2), sharer("third", "twin", 3)}, "shares the input");
}

}  // namespace

}  // namespace millrace::conformance
