// SPDX-License-Identifier: Apache-2.0
// P1: creating pipelines: a graph of many different nodes, and as many compute pipelines on as many threads. On a
// driver that compiles at the first dispatch (lavapipe) this is not the whole cost of either.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kMark = 0x51deca5e;

using Words = std::vector<uint32_t>;

// What has no counterpart in the measured programs: never the same twice, so that no cache of the driver's helps.
uint32_t nextNumber()
{
    static uint32_t number =
        static_cast<uint32_t>(std::chrono::system_clock::now().time_since_epoch().count() / 1000) | 1;
    return number += 2;
}

std::vector<Words> different(const Words& model, uint32_t count)
{
    std::vector<Words> all;
    for (uint32_t i = 0; i < count; ++i) {
        all.push_back(model);
        bool found = false;
        const uint32_t number = nextNumber();
        for (uint32_t& word : all.back())
            if (word == kMark) {
                word = number;
                found = true;
            }
        if (!found)
            throw harness::HarnessError("P1: the shader has lost its mark");
    }
    return all;
}

double microseconds(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

class Cache {
public:
    explicit Cache(VkDevice device) : m_device(device)
    {
        const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
        harness::check(vkCreatePipelineCache(device, &info, nullptr, &handle), "vkCreatePipelineCache");
    }
    ~Cache() { vkDestroyPipelineCache(m_device, handle, nullptr); }
    Cache(const Cache&) = delete;
    VkPipelineCache handle = VK_NULL_HANDLE;

private:
    VkDevice m_device;
};

class Pipelines {
public:
    Pipelines(Bench& bench, uint32_t count) : m_bench(bench), m_device(bench.device()), m_count(count) {}

    void measure();

private:
    // Creates the graph twice with one cache; microseconds of both.
    std::pair<double, double> graphs();
    double byHand();

    Bench& m_bench;
    harness::Device& m_device;
    uint32_t m_count;
    Words m_node = compileNode("p01/node");
    Words m_sink = compileNode("p01/sink");
    Words m_kernel = compileKernel("p01/by_hand");
};

std::pair<double, double> Pipelines::graphs()
{
    std::vector<harness::Stage> stages;
    for (Words& words : different(m_node, m_count)) {
        harness::Stage stage;
        stage.words = std::move(words);
        stage.entry = "node";
        stage.name = "node";
        stage.index = static_cast<uint32_t>(stages.size());
        stages.push_back(std::move(stage));
    }
    harness::Stage sink;
    sink.words = m_sink;
    sink.entry = "sink";
    sink.name = "sink";
    sink.index = 0;
    stages.push_back(std::move(sink));
    harness::RunnerOptions options;
    options.pushConstantBytes = 8;
    harness::Runner runner(m_device, options);
    const Cache cache(m_device.device);
    harness::GraphOptions graphOptions;
    graphOptions.cache = cache.handle;
    // Shader modules are part of both times, as they are by hand.
    const double first = microseconds([&] { runner.createGraph(stages, graphOptions); });
    const double second = microseconds([&] { runner.createGraph(stages, graphOptions); });
    return {first, second};
}

double Pipelines::byHand()
{
    const std::vector<Words> all = different(m_kernel, m_count);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 40};
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.pushConstantRangeCount = 1;
    layoutInfo.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    harness::check(vkCreatePipelineLayout(m_device.device, &layoutInfo, nullptr, &layout), "vkCreatePipelineLayout");
    std::vector<VkPipeline> pipelines(m_count);
    std::atomic<uint32_t> next = 0;
    std::atomic<int> failed = VK_SUCCESS;
    const Cache cache(m_device.device);
    const auto create = [&] {
        for (uint32_t i = next++; i < m_count; i = next++) {
            VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
            info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
            info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
            info.stage.module = m_device.createModule(all[i]);
            info.stage.pName = "main";
            info.layout = layout;
            const VkResult result =
                vkCreateComputePipelines(m_device.device, cache.handle, 1, &info, nullptr, &pipelines[i]);
            if (result != VK_SUCCESS)
                failed = result;
            vkDestroyShaderModule(m_device.device, info.stage.module, nullptr);
        }
    };
    const double took = microseconds([&] {
        std::vector<std::thread> threads;
        for (uint32_t i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
            threads.emplace_back(create);
        for (std::thread& thread : threads)
            thread.join();
    });
    for (VkPipeline pipeline : pipelines)
        vkDestroyPipeline(m_device.device, pipeline, nullptr);
    vkDestroyPipelineLayout(m_device.device, layout, nullptr);
    harness::check(static_cast<VkResult>(failed.load()), "vkCreateComputePipelines");
    return took;
}

void Pipelines::measure()
{
    Times graph{Role::Graph, "graph", {}};
    Times again{Role::Other, "graph again, from the cache", {}};
    Times hand{Role::Hand, "compute pipelines", {}};
    // Creation takes long; three runs are enough.
    for (uint32_t i = 0; i <= std::min(m_bench.options().runs, 3u); ++i) {
        const auto [first, second] = graphs();
        const double took = byHand();
        if (i == 0)
            continue;  // the device library is lowered once in a process
        graph.runs.push_back(first);
        again.runs.push_back(second);
        hand.runs.push_back(took);
    }
    m_bench.add("creation of " + text(m_count) + " nodes", {graph, hand, again});
    const CaseResult& result = m_bench.results().back();
    m_bench.figure(text(m_count) + " nodes, graph from the cache / first time", result.of(again.name) / result.graph(),
                   "");
}

}  // namespace

void pipelines(Bench& bench)
{
    for (uint32_t count : bench.pick<std::vector<uint32_t>>({111, 1000}, {24}, {6}))
        Pipelines(bench, count).measure();
}

}  // namespace millrace::bench
