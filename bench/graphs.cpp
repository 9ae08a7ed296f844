// SPDX-License-Identifier: Apache-2.0
// bench_graphs: GPU time of whole execution graphs, as an application sees it: through the loader and the layer, with
// scratch memory of maxSize on the device. Every result is checked in every run.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include <CLI/CLI.hpp>

#include "glsl/compile.h"
#include "harness/runner.h"

namespace millrace::bench {

namespace {

using harness::Buffer;
using harness::Launch;
using harness::Runner;
using harness::Stage;

struct Options {
    uint32_t runs = 11;
    bool small = false;          // sizes for software drivers
    bool each = false;           // prints every run's time
    std::set<std::string> only;  // names of workloads; empty: all

    bool wants(const std::string& name) const { return only.empty() || only.contains(name); }
};

std::vector<uint32_t> compileNode(const std::string& name)
{
    const std::string path = std::string(MILLRACE_BENCH_GRAPHS) + "/" + name + ".comp";
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    auto compiled = glsl::compile(text.str(), path, {});
    if (!compiled)
        throw harness::HarnessError(compiled.error().text());
    return std::move(compiled->words);
}

Stage stageOf(const std::string& name, std::optional<uint32_t> index = {})
{
    Stage stage;
    stage.words = compileNode(name);
    stage.entry = name;
    stage.index = index;
    return stage;
}

// One graph, its memory, and the time that it takes.
class Graph {
public:
    Graph(Runner& runner, const std::vector<Stage>& stages) : m_runner(runner), m_pipeline(runner.createGraph(stages))
    {
        harness::Device& device = runner.device();
        m_scratch = device.createDeviceBuffer(runner.scratchSize(m_pipeline).maxSize,
                                              VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
        device.submit([&](VkCommandBuffer cmd) { runner.initialize(cmd, m_pipeline, m_scratch); });
        VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        info.queryCount = 2;
        harness::check(vkCreateQueryPool(device.device, &info, nullptr, &m_times), "vkCreateQueryPool");
    }
    ~Graph()
    {
        vkDestroyQueryPool(m_runner.device().device, m_times, nullptr);
        m_runner.device().destroyBuffer(m_scratch);
    }
    Graph(const Graph&) = delete;

    // Microseconds between timestamps before and behind the dispatch.
    double run(const Launch& launch)
    {
        harness::Device& device = m_runner.device();
        // The driver's memory for commands grows with command buffers that are only freed, and is far away in the end:
        // with NVIDIA 580.159, after some 30 runs of 112 dispatches each, 300 us became 1200.
        harness::check(vkResetCommandPool(device.device, device.pool, 0), "vkResetCommandPool");
        device.submit([&](VkCommandBuffer cmd) {
            vkCmdResetQueryPool(cmd, m_times, 0, 2);
            m_runner.bind(cmd, m_pipeline);
            vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, m_times, 0);
            m_runner.dispatchHost(cmd, m_pipeline, m_scratch, {launch});
            vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, m_times, 1);
        });
        uint64_t times[2];
        harness::check(vkGetQueryPoolResults(device.device, m_times, 0, 2, sizeof times, times, sizeof times[0],
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                       "vkGetQueryPoolResults");
        return static_cast<double>(times[1] - times[0]) * device.properties.limits.timestampPeriod * 1e-3;
    }

private:
    Runner& m_runner;
    VkPipeline m_pipeline;
    Buffer m_scratch;
    VkQueryPool m_times = VK_NULL_HANDLE;
};

// Runs, checks and prints the median.
double measure(const std::string& name, const Options& options, Graph& graph, const Launch& launch,
               const std::function<bool()>& isRight)
{
    std::vector<double> times;
    for (uint32_t i = 0; i <= options.runs; ++i) {
        const double time = graph.run(launch);
        if (!isRight())
            throw harness::HarnessError(name + ": wrong result");
        if (i > 0)  // the first may wait for the driver's compiler
            times.push_back(time);
        if (options.each)
            std::printf("  %.1f", time);
    }
    if (options.each)
        std::printf("\n");
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    std::printf("%-46s %10.1f us   (%.1f to %.1f)\n", name.c_str(), median, times.front(), times.back());
    return median;
}

// Device memory that a graph writes, and its copy on the host.
class Result {
public:
    Result(harness::Device& device, VkDeviceSize bytes)
        : m_device(device),
          m_buffer(device.createDeviceBuffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT)),
          m_copy(device.createBuffer(bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT))
    {
    }
    ~Result()
    {
        m_device.destroyBuffer(m_buffer);
        m_device.destroyBuffer(m_copy);
    }
    Result(const Result&) = delete;

    VkDeviceAddress address() const { return m_buffer.address; }

    // What is there, which is cleared for the next run.
    std::vector<uint32_t> take()
    {
        m_device.submit([&](VkCommandBuffer cmd) {
            const VkBufferCopy all{0, 0, m_buffer.size};
            vkCmdCopyBuffer(cmd, m_buffer.handle, m_copy.handle, 1, &all);
            harness::Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
            vkCmdFillBuffer(cmd, m_buffer.handle, 0, VK_WHOLE_SIZE, 0);
        });
        return {m_copy.words(), m_copy.words() + m_copy.size / 4};
    }

private:
    harness::Device& m_device;
    Buffer m_buffer;
    Buffer m_copy;
};

void chain(harness::Device& device, const Options& options)
{
    for (uint32_t inputs : {1u, 64u, 1024u}) {
        double previous = 0;
        for (uint32_t levels : {1u, 9u, 33u}) {
            Runner runner(device, {});
            Stage stage = stageOf("chain");
            stage.specialization[0] = levels - 1;
            Graph graph(runner, {stage});
            const Launch launch = harness::launchWords("chain", 0, inputs, std::vector<uint32_t>(inputs));
            const std::string name =
                "chain, " + std::to_string(levels) + " levels, " + std::to_string(inputs) + " inputs";
            const double time = measure(name, options, graph, launch, [&] {
                const bool right = runner.outputWords()[0] == inputs * levels;
                runner.clearOutput();
                return right;
            });
            if (levels == 33)
                std::printf("%-46s %10.2f us\n", "  a level", (time - previous) / 24);
            previous = time;
        }
    }
}

void fork(harness::Device& device, const Options& options)
{
    constexpr uint32_t kDepth = 7;
    for (uint32_t inputs : {1u, 1000u, 100'000u}) {
        if (options.small && inputs > 1000)
            continue;
        Result result(device, VkDeviceSize{inputs} << kDepth << 2);
        harness::RunnerOptions runnerOptions;
        runnerOptions.pushConstantBytes = sizeof(VkDeviceAddress);
        Runner runner(device, runnerOptions);
        const VkDeviceAddress address = result.address();
        std::memcpy(runner.pushConstants.data(), &address, sizeof address);
        Stage stage = stageOf("fork");
        stage.specialization[0] = kDepth;
        Graph graph(runner, {stage});
        std::vector<uint32_t> words;
        for (uint32_t i = 0; i < inputs; ++i)
            words.insert(words.end(), {0, i});
        result.take();
        measure("recursion, 8 levels, " + std::to_string(inputs) + " inputs", options, graph,
                harness::launchWords("fork", 0, inputs, words), [&] {
                    const std::vector<uint32_t> leaves = result.take();
                    for (uint32_t i = 0; i < leaves.size(); ++i)
                        if (leaves[i] != (i ^ 0x5a5au))
                            return false;
                    return true;
                });
    }
}

// As graphs/materials.glsl.
constexpr uint32_t kWidth = 3831, kHeight = 1757, kMaterials = 111;

uint32_t materialAt(uint32_t x, uint32_t y, uint32_t blockSide)
{
    uint32_t h = x / blockSide * 7919u + y / blockSide * 104729u;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    return (h ^ h >> 16) % kMaterials;
}

bool isClassified(const std::vector<uint32_t>& colours, uint32_t blockSide)
{
    for (uint32_t y = 0; y < kHeight; ++y)
        for (uint32_t x = 0; x < kWidth; ++x) {
            const uint32_t material = materialAt(x, y, blockSide);
            const size_t at = 2 * (size_t{y} * kWidth + x);
            if (colours[at] != material * 77 + 1 || colours[at + 1] != material)
                return false;
        }
    return true;
}

void classify(harness::Device& device, const Options& options)
{
    Result result(device, VkDeviceSize{kWidth} * kHeight * 8);
    harness::RunnerOptions runnerOptions;
    runnerOptions.pushConstantBytes = sizeof(VkDeviceAddress);
    Runner runner(device, runnerOptions);
    const VkDeviceAddress address = result.address();
    std::memcpy(runner.pushConstants.data(), &address, sizeof address);
    std::vector<Stage> stages{stageOf("classify")};
    const Stage shade = stageOf("shade");
    for (uint32_t i = 0; i < kMaterials; ++i) {
        stages.push_back(shade);
        stages.back().name = "shade";
        stages.back().index = i;
    }
    Graph graph(runner, stages);
    result.take();
    for (uint32_t blockSide : {1u, 8u, 24u, 128u})
        measure("classification, 6.73 M payloads, 111 nodes, R=" + std::to_string(blockSide), options, graph,
                harness::launchWords("classify", 0, 1, {blockSide}),
                [&] { return isClassified(result.take(), blockSide); });
}

}  // namespace

int run(int argc, char** argv)
{
    Options options;
    CLI::App app(
        "GPU time of execution graphs through the layer. Environment as for the tests: VK_ADD_LAYER_PATH, "
        "MILLRACE_TEST_DEVICE; set MILLRACE_TEST_NO_VALIDATION=1 to measure.");
    app.add_option("--runs", options.runs, "runs of each, of which the median counts")->check(CLI::Range(1, 1000));
    app.add_option("--only", options.only, "chain, recursion, classification");
    app.add_flag("--each", options.each, "print every run");
    app.add_flag("--small", options.small, "without what takes a software driver minutes");
    CLI11_PARSE(app, argc, argv);
    try {
        harness::Device device{harness::DeviceOptions{}};
        std::printf("%s%s\n", device.properties.deviceName, device.validated ? ", with the validation layer" : "");
        if (options.wants("chain"))
            chain(device, options);
        if (options.wants("recursion"))
            fork(device, options);
        if (!options.small && options.wants("classification"))
            classify(device, options);
        for (const std::string& message : device.takeMessages())
            throw harness::HarnessError(message);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_graphs: %s\n", error.what());
        return 1;
    }
    return 0;
}

}  // namespace millrace::bench

int main(int argc, char** argv)
{
    return millrace::bench::run(argc, argv);
}
