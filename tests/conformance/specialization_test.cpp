// SPDX-License-Identifier: Apache-2.0
// Section 4: specialization constants as operands of the extension, and push constants.
#include <cstring>

#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Specialization : public GraphTest {};
class PushConstants : public GraphTest {};

TEST_F(Specialization, StaticNumWorkgroups)
{
    NodeWriter node("node");
    const std::string grid = node.specConstant(1, 1) + " " + node.specConstant(2, 1) + " " + node.specConstant(3, 5);
    node.mode("StaticNumWorkgroupsAMDX " + grid);
    node.add(0, node.c(1));
    Stage stage = node.stage();
    EXPECT_EQ(run({stage}, {launchWords("node", 0, 1, {})})[0], 5u) << "the defaults count";
    stage.specialization = {{1, 2}, {3, 7}};
    EXPECT_EQ(run({stage}, {launchWords("node", 0, 1, {})})[0], 14u);
}

TEST_F(Specialization, ShaderIndex)
{
    NodeWriter node("node");
    node.staticGrid(1);
    node.mode("ShaderIndexAMDX " + node.specConstant(1, 1));
    node.add(0, node.builtIn("ShaderIndexAMDX"));
    Stage stage = node.stage();
    stage.specialization = {{1, 9}};
    EXPECT_EQ(run({stage}, {launchWords("node", 9, 1, {})})[0], 9u);
}

TEST_F(Specialization, MaxNumWorkgroups)
{
    NodeWriter node("node");
    const Id most = node.specConstant(1, 1);
    node.mode("MaxNumWorkgroupsAMDX " + most + " " + node.c(1) + " " + node.c(1));
    node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX")});
    node.add(0, node.c(1));
    Stage stage = node.stage();
    stage.specialization = {{1, 100}};
    EXPECT_EQ(run({stage}, {launchWords("node", 0, 1, {100})})[0], 100u);
}

TEST_F(Specialization, MaxNodeRecursion)
{
    NodeWriter node("node");
    node.staticGrid(1);
    node.mode("MaxNodeRecursionAMDX " + node.specConstant(1, 1));
    node.input();
    const PayloadArrayType self = node.output("node", {node.word()});
    node.add(0, node.c(1));
    node.body().ifThen(node.isValid(self, node.c(0)), [&] { node.send(self, node.c(0), node.c(0)); });
    Stage stage = node.stage();
    stage.specialization = {{1, 6}};
    EXPECT_EQ(run({stage}, {launchWords("node", 0, 1, {0})})[0], 7u);
}

TEST_F(Specialization, SharesInputWith)
{
    NodeWriter node("twin");
    node.staticGrid(1);
    node.noEntry();
    node.mode("SharesInputWithAMDX " + node.module().stringConstant("base") + " " + node.specConstant(1, 0));
    node.add(4, node.readPayload(node.input(), node.c(0), 0));
    Stage twin = node.stage();
    twin.specialization = {{1, 1}};
    const auto result = run({adder("base", 0, 0), adder("base", 2, 1), twin},
                            {launchWords("base", 0, 1, {5}), launchWords("base", 1, 1, {7})});
    EXPECT_EQ(result[4], 7u);
}

TEST_F(Specialization, IsApiEntry)
{
    NodeWriter node("node");
    node.staticGrid(1);
    const Id flag = node.module().newId("flag");
    node.module().decorate("OpDecorate " + flag + " SpecId 1");
    node.module().global(flag + " = OpSpecConstantTrue " + node.module().boolType());
    node.mode("IsApiEntryAMDX " + flag);
    node.add(0, node.readPayload(node.input(), node.c(0), 0));
    Stage stage = node.stage();
    EXPECT_EQ(run({stage}, {launchWords("node", 0, 1, {1})})[0], 1u);
    stage.specialization = {{1, 0}};
    Runner runner(device(), {});
    RunOptions options;
    options.form = Form::Indirect;
    runner.run(runner.createGraph({stage}), {launchWords("node", 0, 1, {1})}, options);
    EXPECT_EQ(runner.outputWords()[0], 0u);
    expectMessage(device(), "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09157");
}

TEST_F(Specialization, OperandsOfDecorations)
{
    NodeWriter node("from");
    node.staticGrid(1);
    OutputOptions outputOptions;
    outputOptions.budget = std::nullopt;
    const PayloadArrayType type = node.output("to", {node.word()}, outputOptions);
    for (const auto& [name, initial] :
         {std::pair{"NodeMaxPayloadsAMDX", 1u}, {"PayloadNodeBaseIndexAMDX", 0u}, {"PayloadNodeArraySizeAMDX", 9u}}) {
        const uint32_t id = name[4] == 'M' ? 1 : name[11] == 'B' ? 2 : 3;
        node.module().decorate("OpDecorateId " + type.array + " " + name + " " + node.specConstant(id, initial));
    }
    for (uint32_t i = 0; i < 3; ++i)
        node.send(type, node.c(i + 1), node.c(i & 1));
    Stage stage = node.stage();
    stage.specialization = {{1, 3}, {2, 2}, {3, 4}};
    EXPECT_EQ(first(run({stage, adder("to", 0, 2), adder("to", 2, 3)}, {launchWords("from", 0, 1, {})}), 4),
              (std::vector<uint32_t>{4, 2, 2, 1}));
}

// AMD's input arrays have their maximum as a constant too.
TEST_F(Specialization, NodeMaxPayloadsOfTheInput)
{
    NodeWriter node("gather", {4, 1, 1});
    node.coalescing();
    const Id input = node.inputArrayOf(node.structure({node.word()}), node.specConstant(1, 1));
    const Id length = node.length(input);
    node.onFirstLane([&] {
        node.add(0, length);
        node.add(1, node.c(1));
    });
    Stage stage = node.stage();
    stage.specialization = {{1, 5}};
    Options options;
    options.unspecified = {1};
    const auto result = run({stage}, {launchWords("gather", 0, 20, std::vector<uint32_t>(20))}, options);
    EXPECT_EQ(result[0], 20u);
    EXPECT_GE(result[1], 4u);
}

TEST_F(PushConstants, ReachEveryNode)
{
    const auto reader = [](NodeWriter& node, uint32_t word) {
        const Id block = node.module().pushConstants(16);
        const Id type = node.uintType();
        node.add(word, node.body().load(type, node.body().chain("PushConstant", type, block, node.c(0))));
        const Id second = node.body().chain("PushConstant", type, block, node.c(1) + " " + node.c(1));
        node.add(word + 1, node.body().load(type, second));
    };
    const Stage from = writeNode("from", [&](NodeWriter& node) {
        node.staticGrid(2);
        reader(node, 0);
        node.send(node.output("to", {node.word()}), node.c(0), node.c(0));
    });
    const Stage to = writeNode("to", [&](NodeWriter& node) {
        node.coalescing();
        node.input();
        reader(node, 2);
    });
    Options options;
    const uint32_t pushed[] = {11, 0, 0, 13};
    options.pushConstants.resize(16);
    std::memcpy(options.pushConstants.data(), pushed, 16);
    EXPECT_EQ(first(run({from, to}, {launchWords("from", 0, 1, {})}, options), 4),
              (std::vector<uint32_t>{22, 26, 22, 26}));
}

}  // namespace

}  // namespace millrace::conformance
