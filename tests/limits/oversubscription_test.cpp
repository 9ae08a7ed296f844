// SPDX-License-Identifier: Apache-2.0
// Graphs complete with any scratch size, however little of their payloads fits at a time.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Oversubscription : public GraphTest {};

constexpr uint32_t kWords = 256;  // of a payload: 1 KiB
constexpr uint32_t kStart = 32;
constexpr uint32_t kFan = 64;

std::vector<Field> kibibyte(NodeWriter& node)
{
    return {{node.module().arrayType(node.uintType(), kWords, 4), 0, ""}};
}

Id wordOf(NodeWriter& node, const Id& array, const Id& element, const Id& word)
{
    return node.payloadPointer(node.uintType(), array, element, node.c(0) + " " + word);
}

// 64 invocations that fill `count` payloads for `to`; word w of payload i is value + i + w.
void fanOut(NodeWriter& node, const std::string& to, uint32_t count, const Id& value)
{
    OutputOptions options;
    options.budget = count;
    const Id array = node.allocate(node.output(to, kibibyte(node), options), node.c(count), node.c(0));
    node.body().loop(node.c(0), node.c(count), node.c(1), [&](const Id& i) {
        node.body().loop(node.lane(), node.c(kWords), node.c(64), [&](const Id& w) {
            node.body().store(wordOf(node, array, i, w), node.plus(node.plus(value, i), w));
        });
    });
    node.enqueue(array);
}

// Three levels of payloads of 1 KiB: 32, then 64 times, then 64 times as many: 128 MiB on the last one.
std::vector<Stage> threeLevels()
{
    const Stage start = writeNode("start",
                                  [](NodeWriter& node) {
                                      node.staticGrid(1);
                                      fanOut(node, "spread", kStart, node.c(1));
                                  },
                                  {64, 1, 1});
    const auto inner = [](const std::string& name, const std::string& to) {
        return writeNode(name,
                         [&](NodeWriter& node) {
                             node.staticGrid(1);
                             const Id input = node.inputArray(kibibyte(node));
                             const Id value =
                                 node.body().load(node.uintType(), wordOf(node, input, node.c(0), node.c(0)));
                             fanOut(node, to, kFan, value);
                         },
                         {64, 1, 1});
    };
    const Stage sink = writeNode("sink",
                                 [](NodeWriter& node) {
                                     node.staticGrid(1);
                                     const Id input = node.inputArray(kibibyte(node));
                                     node.body().loop(node.lane(), node.c(kWords), node.c(64), [&](const Id& w) {
                                         const Id value =
                                             node.body().load(node.uintType(), wordOf(node, input, node.c(0), w));
                                         node.add(node.lane(), value);
                                     });
                                     node.onFirstLane([&] { node.add(64, node.c(1)); });
                                 },
                                 {64, 1, 1});
    return {start, inner("spread", "further"), inner("further", "sink"), sink};
}

std::vector<uint32_t> wanted()
{
    std::vector<uint32_t> out(65);
    for (uint32_t a = 0; a < kStart; ++a)
        for (uint32_t b = 0; b < kFan; ++b)
            for (uint32_t c = 0; c < kFan; ++c)
                for (uint32_t lane = 0; lane < 64; ++lane)
                    for (uint32_t w = lane; w < kWords; w += 64)
                        out[lane] += 1 + a + b + c + w;
    out[64] = kStart * kFan * kFan;
    return out;
}

TEST_F(Oversubscription, LivePayloads_100TimesTheScratch)
{
    for (const char* path : {"direct", "indirect"}) {
        DeviceOptions deviceOptions;
        deviceOptions.path = path;
        RunnerOptions options;
        options.outputWords = 65;
        Runner runner(device(deviceOptions), options);
        const VkPipeline graph = runner.createGraph(threeLevels());
        const auto size = runner.scratchSize(graph);
        const uint64_t live = uint64_t{kStart} * kFan * kFan * kWords * 4;
        EXPECT_GT(live, 100 * size.minSize) << "minSize is " << size.minSize;
        for (Scratch scratch : {Scratch::Minimum, Scratch::Between, Scratch::Maximum}) {
            runner.clearOutput();
            RunOptions runOptions;
            runOptions.scratch = scratch;
            runner.run(graph, {launchWords("start", 0, 1, {})}, runOptions);
            EXPECT_EQ(runner.outputWords(), wanted()) << path << ", " << nameOf(scratch);
        }
        std::printf("%s: minSize %llu, live payloads %llu times as much\n", path,
                    static_cast<unsigned long long>(size.minSize),
                    static_cast<unsigned long long>(live / size.minSize));
    }
}

// A chain of ten nodes whose workgroups each send a payload of 1 KB to the next.
TEST_F(Oversubscription, TenNodesWith1KBPayloads_NeedAtMost4MiB)
{
    std::vector<Stage> stages;
    for (uint32_t i = 0; i < 10; ++i) {
        stages.push_back(writeNode("node" + std::to_string(i),
                                   [&](NodeWriter& node) {
                                       node.staticGrid(1);
                                       const Id input = node.inputArray(kibibyte(node));
                                       const Id value =
                                           node.body().load(node.uintType(), wordOf(node, input, node.c(0), node.c(0)));
                                       node.onFirstLane([&] { node.add(i, value); });
                                       if (i < 9)
                                           fanOut(node, "node" + std::to_string(i + 1), 4, value);
                                   },
                                   {64, 1, 1}));
    }
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph(stages);
    EXPECT_LE(runner.scratchSize(graph).minSize, 4u << 20);
    std::printf("minSize %llu\n", static_cast<unsigned long long>(runner.scratchSize(graph).minSize));
    // 4^5 payloads of node5 and so on; the values of a level are those of the one before plus 0 to 3.
    std::vector<uint32_t> payload(kWords);
    payload[0] = 3;
    std::vector<uint32_t> sums;
    uint32_t sum = 3;
    uint32_t count = 1;
    for (uint32_t i = 0; i < 10; ++i) {
        sums.push_back(sum);
        sum = 4 * sum + 6 * count;
        count *= 4;
    }
    runner.run(graph, {launchWords("node0", 0, 1, payload)});
    EXPECT_EQ(first(runner.outputWords(), 10), sums);
}

}  // namespace

}  // namespace millrace::conformance
