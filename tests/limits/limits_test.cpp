// SPDX-License-Identifier: Apache-2.0
// Limits in practice: what the properties promise runs, completely and in reasonable time.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Limits : public GraphTest {
protected:
    // With default settings, on the direct path. One pipeline for all scratch sizes, since drivers compile for seconds.
    static void expectResult(const std::vector<Stage>& stages, const std::vector<Launch>& launches,
                             const std::vector<Scratch>& scratches, const std::vector<uint32_t>& wanted)
    {
        RunnerOptions options;
        options.outputWords = static_cast<uint32_t>(wanted.size());
        Runner runner(device(), options);
        const VkPipeline graph = runner.createGraph(stages);
        for (Scratch scratch : scratches) {
            runner.clearOutput();
            RunOptions runOptions;
            runOptions.scratch = scratch;
            runner.run(graph, launches, runOptions);
            EXPECT_EQ(runner.outputWords(), wanted) << nameOf(scratch) << " scratch";
        }
    }
};

// Counts itself; every bit of the workgroup id is summed up too, so that none runs twice while another one is missing.
Stage gridCounter(const std::string& name)
{
    return writeNode(name, [](NodeWriter& node) {
        node.inputArray({{node.uintVector(3), 0, "PayloadDispatchIndirectAMDX"}});
        node.add(0, node.c(1));
        for (uint32_t i = 0; i < 3; ++i)
            node.add(1 + i, node.builtIn("WorkgroupId", i));
    });
}

// The sum of 0 to count - 1, `times` times, modulo 2^32.
uint32_t idSum(uint64_t count, uint64_t times)
{
    return static_cast<uint32_t>(count * (count - 1) / 2 * times);
}

TEST_F(Limits, WorkgroupsOfOnePayload_16777215)
{
    const uint32_t grid[] = {4097, 4095, 1};
    ASSERT_EQ(uint64_t{grid[0]} * grid[1] * grid[2], device().limits.maxExecutionGraphWorkgroups);
    expectResult({gridCounter("node")}, {launchWords("node", 0, 1, {grid[0], grid[1], grid[2]})}, {Scratch::Minimum},
                 {16777215, idSum(grid[0], grid[1]), idSum(grid[1], grid[0]), 0});
}

TEST_F(Limits, WorkgroupsPerDimension_65535)
{
    const uint32_t sum = idSum(65535, 1);
    expectResult({gridCounter("node")}, {launchWords("node", 0, 3, {65535, 1, 1, 1, 65535, 1, 1, 1, 65535})},
                 {Scratch::Minimum}, {3 * 65535, sum, sum, sum});
}

// 39063 workgroups send 256 payloads each to one node; 128 more than ten million.
TEST_F(Limits, PayloadsOfOneLevel_TenMillion)
{
    constexpr uint32_t kGroups = 39063;
    static_assert(kGroups * 256 >= 10'000'000);
    const Stage from = writeNode(
        "from",
        [](NodeWriter& node) {
            node.staticGrid(kGroups);
            OutputOptions options;
            options.budget = 256;
            const PayloadArrayType type = node.output("to", {node.word()}, options);
            const Id array = node.allocate(type, node.c(256), node.c(0));
            node.body().loop(node.lane(), node.c(256), node.c(64), [&](const Id& i) {
                node.writePayload(array, i, 0, node.plus(node.times(node.builtIn("WorkgroupId", 0), node.c(256)), i));
            });
            node.enqueue(array);
        },
        {64, 1, 1});
    // Packed: a thread launch.
    const Stage to = writeNode("to", [](NodeWriter& node) {
        node.coalescing();
        const Id value = node.readPayload(node.input(), node.c(0), 0);
        const Id word = node.body().u("OpBitwiseAnd", value, node.c(63));
        node.add(word, value);
        node.add(node.plus(word, node.c(64)), node.c(1));
    });
    std::vector<uint32_t> wanted(128);
    for (uint32_t i = 0; i < kGroups * 256; ++i) {
        wanted[i % 64] += i;
        ++wanted[64 + i % 64];
    }
    // All at once, and not one at a time but by far not all at once either.
    expectResult({from, to}, {launchWords("from", 0, 1, {})}, {Scratch::Maximum, Scratch::Between}, wanted);
}

// An array of 1024 nodes, and thus a graph of more than 1000.
TEST_F(Limits, Nodes_1000_And_NodeArrays_1024)
{
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(16);
                                     OutputOptions options;
                                     options.budget = 64;
                                     options.arraySize = 1024;
                                     const PayloadArrayType type = node.output("to", {node.word()}, options);
                                     const Id index =
                                         node.plus(node.times(node.builtIn("WorkgroupId", 0), node.c(64)), node.lane());
                                     node.send(type, node.times(index, node.c(3)), index, false);
                                 },
                                 {64, 1, 1});
    const Stage to = writeNode("to", [](NodeWriter& node) {
        node.staticGrid(1);
        const Id value = node.readPayload(node.input(), node.c(0), 0);
        node.add(node.builtIn("ShaderIndexAMDX"), node.plus(value, node.c(1)));
    });
    std::vector<Stage> stages = {from};
    std::vector<uint32_t> wanted;
    for (uint32_t i = 0; i < 1024; ++i) {
        stages.push_back(to);
        stages.back().index = i;
        wanted.push_back(3 * i + 1);
    }
    expectResult(stages, {launchWords("from", 0, 1, {})}, {Scratch::Minimum, Scratch::Maximum}, wanted);
}

// 31 recursions; calls make one or two more, 4096 in the end.
TEST_F(Limits, RecursionToDepth_32)
{
    const Stage node = writeNode("node", [](NodeWriter& writer) {
        writer.coalescing();
        writer.mode("MaxNodeRecursionAMDX " + writer.c(31));
        const Id value = writer.readPayload(writer.input(), writer.c(0), 0);
        OutputOptions options;
        options.budget = 2;
        const PayloadArrayType type = writer.output("node", {writer.word()}, options);
        const Id remaining = writer.builtIn("RemainingRecursionLevelsAMDX");
        writer.add(remaining, writer.plus(value, writer.c(1)));
        writer.body().ifThen(writer.isValid(type, writer.c(0)), [&] {
            const Id late = writer.body().test("OpULessThan", remaining, writer.c(24));
            const Id odd = writer.body().u("OpBitwiseAnd", remaining, writer.c(1));
            const Id extra = writer.body().op(writer.uintType(), "OpSelect", late + " " + odd + " " + writer.c(0));
            const Id count = writer.plus(writer.c(1), extra);
            const Id array = writer.allocate(type, count, writer.c(0));
            writer.body().loop(writer.c(0), count, writer.c(1),
                               [&](const Id& i) { writer.writePayload(array, i, 0, writer.plus(value, i)); });
            writer.enqueue(array);
        });
    });
    // By level: how many payloads, and the sum of their values.
    std::vector<uint32_t> wanted(32);
    uint32_t count = 1;
    uint32_t sum = 5;
    for (uint32_t remaining = 32; remaining-- > 0;) {
        wanted[remaining] = sum + count;
        if (remaining < 24 && remaining % 2) {
            sum = 2 * sum + count;
            count *= 2;
        }
    }
    EXPECT_EQ(count, 4096u);
    expectResult({node}, {launchWords("node", 0, 1, {5})}, {Scratch::Minimum, Scratch::Maximum}, wanted);
}

TEST_F(Limits, NodesThatShareAnInput_256)
{
    const auto node = [](const std::string& name, bool shares) {
        return writeNode(name, [&](NodeWriter& writer) {
            writer.staticGrid(1);
            if (shares)
                writer.mode("SharesInputWithAMDX " + writer.module().stringConstant("base") + " " + writer.c(0));
            const Id value = writer.readPayload(writer.input(), writer.c(0), 0);
            const Id own = writer.builtIn("ShaderIndexAMDX");
            writer.add(shares ? own : writer.c(255), writer.plus(value, own));
        });
    };
    const Stage twin = node("twin", true);
    std::vector<Stage> stages = {senderOf("from", "base", 10), node("base", false)};
    std::vector<uint32_t> wanted(256);
    for (uint32_t i = 0; i < 255; ++i) {
        stages.push_back(twin);
        stages.back().index = i;
        wanted[i] = 55 + 10 * i;
    }
    wanted[255] = 55;
    expectResult(stages, {launchWords("from", 0, 1, {})}, {Scratch::Minimum, Scratch::Maximum}, wanted);
}

}  // namespace

}  // namespace millrace::conformance
