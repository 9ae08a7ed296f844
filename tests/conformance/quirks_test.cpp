// SPDX-License-Identifier: Apache-2.0
// Section 8: where the specification, compilers and applications disagree.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Quirk : public GraphTest {};

// Neither an array size nor the sparse decoration: link what exists, complain never.
TEST_F(Quirk, OutputOfUnknownSize_LinksWhatExists)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        const Id input = node.input();
        const PayloadArrayType type = node.output("to", {node.word()});
        // The index is not known when the graph is linked.
        node.send(type, node.c(7), node.readPayload(input, node.c(0), 0));
    });
    const auto result = run({from, adder("to", 0, 1), adder("to", 2, 6)}, {launchWords("from", 0, 3, {6, 1, 6})});
    EXPECT_EQ(first(result, 4), (std::vector<uint32_t>{7, 1, 14, 2}));
}

TEST_F(Quirk, OutputToAMissingNode_IsNoErrorUntilUsed)
{
    EXPECT_EQ(run({senderOf("from", "nobody", 0), adder("to", 0)},
                  {launchWords("from", 0, 1, {}), launchWords("to", 0, 1, {3})})[0],
              3u);
}

// Neither IsApiEntryAMDX false nor NonWritable.
TEST_F(Quirk, SharingNode_WithoutTheDemandedModes)
{
    const Stage twin = writeNode("twin", [](NodeWriter& node) {
        node.staticGrid(1);
        node.mode("SharesInputWithAMDX " + node.module().stringConstant("base") + " " + node.c(0));
        node.add(2, node.readPayload(node.input(), node.c(0), 0));
    });
    EXPECT_EQ(first(run({senderOf("from", "base", 3), adder("base", 0), twin}, {launchWords("from", 0, 1, {})}), 3),
              (std::vector<uint32_t>{6, 3, 6}));
}

TEST_F(Quirk, InputStructure_InsteadOfAnArray)
{
    const Stage to = writeNode("to", [](NodeWriter& node) {
        const Id input = node.inputStructure({node.word(0, "PayloadDispatchIndirectAMDX")});
        const Id pointer = node.body().chain("NodePayloadAMDX", node.uintType(), input, node.c(0));
        node.add(0, node.body().load(node.uintType(), pointer));
    });
    EXPECT_EQ(run({senderOf("from", "to", 3), to}, {launchWords("from", 0, 1, {})})[0], 1u + 4 + 9);
    EXPECT_EQ(run({to}, {launchWords("to", 0, 2, {2, 5})})[0], 4u + 25);
}

TEST_F(Quirk, SeveralEntryPointsInAModule_EachWithItsInput)
{
    NodeWriter module("from");
    module.staticGrid(1);
    OutputOptions options;
    options.budget = 2;
    const Id array =
        module.allocate(module.output("gather", {module.word(), module.word(4)}, options), module.c(2), module.c(0));
    for (uint32_t i = 0; i < 2; ++i) {
        module.writePayload(array, module.c(i), 0, module.c(5 + i));
        module.writePayload(array, module.c(i), 1, module.c(1));
    }
    module.enqueue(array);
    module.nextEntry("gather", {4, 1, 1});
    module.coalescing();
    const Id many = module.inputArray({module.word(), module.word(4)}, 4);
    module.onFirstLane([&] {
        module.body().loop(module.c(0), module.length(many), module.c(1),
                           [&](const Id& i) { module.add(0, module.readPayload(many, i, 0)); });
    });
    module.nextEntry("spread");
    const Id one = module.inputArray({module.word(0, "PayloadDispatchIndirectAMDX")});
    module.add(1, module.readPayload(one, module.c(0), 0));
    const Stage stage = module.stage();
    std::vector<Stage> stages(3, stage);
    stages[1].entry = "gather";
    stages[2].entry = "spread";
    EXPECT_EQ(first(run(stages, {launchWords("from", 0, 1, {}), launchWords("spread", 0, 1, {3})}), 2),
              (std::vector<uint32_t>{11, 9}));
}

TEST_F(Quirk, PayloadsOfSizeZero)
{
    const Stage fixed = writeNode("fixed", [](NodeWriter& node) {
        node.staticGrid(2);
        node.inputArray({});
        node.add(0, node.c(1));
    });
    const Stage gather = writeNode("gather",
                                   [](NodeWriter& node) {
                                       node.coalescing();
                                       const Id input = node.inputArray({}, 8);
                                       node.onFirstLane([&] { node.add(1, node.length(input)); });
                                   },
                                   {8, 1, 1});
    const Stage thread = writeNode("thread", [](NodeWriter& node) {
        node.coalescing();
        node.inputArray({});
        node.add(2, node.c(1));
    });
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(3);
                                     OutputOptions options;
                                     options.budget = 32;
                                     for (const char* name : {"fixed", "gather", "thread"}) {
                                         const PayloadArrayType type = node.output(name, {}, options);
                                         node.enqueue(node.allocate(type, node.c(2), node.c(0), false));
                                     }
                                 },
                                 {16, 1, 1});
    const std::vector<Stage> stages = {from, fixed, gather, thread};
    EXPECT_EQ(first(run(stages, {launchWords("from", 0, 1, {})}), 3), (std::vector<uint32_t>{192, 96, 96}));
    EXPECT_EQ(first(run(stages, {launchWords("fixed", 0, 5, {}), launchWords("gather", 0, 21, {}),
                                 launchWords("thread", 0, 100, {})}),
                    3),
              (std::vector<uint32_t>{10, 21, 100}));
}

}  // namespace

}  // namespace millrace::conformance
