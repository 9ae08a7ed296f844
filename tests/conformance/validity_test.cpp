// SPDX-License-Identifier: Apache-2.0
// Section 4: OpIsNodePayloadValidAMDX.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Validity : public GraphTest {};

// Sets bit i of out[word] where node index i is valid, for i below `count`.
void queryAll(NodeWriter& node, const PayloadArrayType& type, uint32_t count, uint32_t word = 0)
{
    node.body().loop(node.c(0), node.c(count), node.c(1), [&](const Id& i) {
        const Id bit = node.body().u("OpShiftLeftLogical", node.c(1), i);
        node.add(word,
                 node.body().op(node.uintType(), "OpSelect", node.isValid(type, i) + " " + bit + " " + node.c(0)));
    });
}

Stage querier(const OutputOptions& options, uint32_t count)
{
    return writeNode("from", [&](NodeWriter& node) {
        node.staticGrid(1);
        queryAll(node, node.output("to", {node.word()}, options), count);
    });
}

OutputOptions sparse(std::optional<uint32_t> size = std::nullopt)
{
    OutputOptions options;
    options.sparse = true;
    options.arraySize = size;
    return options;
}

TEST_F(Validity, Sparse_WhereTheNodeExists)
{
    for (const auto& options : {sparse(), sparse(8)}) {
        const auto result =
            run({querier(options, 8), adder("to", 2, 1), adder("to", 2, 4)}, {launchWords("from", 0, 1, {})});
        EXPECT_EQ(result[0], 0b10010u);
    }
    EXPECT_EQ(run({querier(sparse(), 8)}, {launchWords("from", 0, 1, {})})[0], 0u) << "no node of the name";
}

TEST_F(Validity, BaseIndex_IsAdded)
{
    OutputOptions options = sparse();
    options.baseIndex = 3;
    const auto result =
        run({querier(options, 4), adder("to", 2, 1), adder("to", 2, 4)}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(result[0], 0b0010u);
}

TEST_F(Validity, OtherOutputs_AreAlwaysValid)
{
    OutputOptions options;
    options.arraySize = 3;
    const auto result = run({querier(options, 3), adder("to", 2, 0), adder("to", 2, 1), adder("to", 2, 2)},
                            {launchWords("from", 0, 1, {})});
    EXPECT_EQ(result[0], 0b111u);
}

TEST_F(Validity, OwnNode_WhileRecursionIsLeft)
{
    for (bool isSparse : {false, true}) {
        const Stage node = writeNode("node", [&](NodeWriter& writer) {
            writer.staticGrid(1);
            writer.mode("MaxNodeRecursionAMDX " + writer.c(2));
            writer.input();
            OutputOptions options;
            options.sparse = isSparse;
            const PayloadArrayType type = writer.output("node", {writer.word()}, options);
            const Id valid = writer.isValid(type, writer.c(0));
            const Id remaining = writer.builtIn("RemainingRecursionLevelsAMDX");
            const Id count =
                writer.body().op(writer.uintType(), "OpSelect", valid + " " + writer.c(1) + " " + writer.c(0));
            writer.add(remaining, count);
            writer.add(writer.plus(remaining, writer.c(8)), writer.c(1));
            const Id array = writer.allocate(type, count, writer.c(0));
            writer.body().ifThen(valid, [&] { writer.writePayload(array, writer.c(0), 0, writer.c(0)); });
            writer.enqueue(array);
        });
        const auto result = run({node}, {launchWords("node", 0, 1, {0})});
        EXPECT_EQ(first(result, 12), (std::vector<uint32_t>{0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0}));
    }
}

// A library does not know yet which nodes will be there.
TEST_F(Validity, InLibraries_KnownAtTheFinalLink)
{
    for (const char* path : {"direct", "indirect"}) {
        DeviceOptions options;
        options.path = path;
        Runner runner(device(options), {});
        const VkPipeline library = runner.createComputeLibrary(querier(sparse(8), 8));
        GraphOptions graphOptions;
        graphOptions.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
        graphOptions.libraries = {library};
        const VkPipeline inner = runner.createGraph({adder("to", 2, 1)}, graphOptions);
        graphOptions.flags = 0;
        for (uint32_t other : {0u, 5u}) {
            graphOptions.libraries = {inner};
            const VkPipeline graph = runner.createGraph({adder("to", 2, other)}, graphOptions);
            runner.clearOutput();
            runner.run(graph, {launchWords("from", 0, 1, {})});
            EXPECT_EQ(runner.outputWords()[0], 0b10u | 1u << other) << path;
        }
    }
}

}  // namespace

}  // namespace millrace::conformance
