// SPDX-License-Identifier: Apache-2.0
// Traces of the graphs of tests/programs, on both paths, with much and little memory and in both details, against what
// the interpreter of tests/oracle counts.
#include <algorithm>
#include <set>

#include "abi/graph_memory.h"
#include "harness/temporary_folder.h"
#include "harness/vulkan_test.h"
#include "oracle/graph.h"
#include "trace/collect.h"
#include "trace/file.h"

namespace millrace::harness {

namespace {

struct Program {
    std::string name;
    std::vector<Stage> stages;
    std::vector<Launch> launches;
};

Stage stage(const std::string& file, const std::string& entry, std::optional<std::string> name = std::nullopt,
            std::optional<uint32_t> index = std::nullopt)
{
    Stage out;
    out.words = readWords(std::string(MILLRACE_TEST_SHADERS) + "/" + file + ".spv");
    out.entry = entry;
    out.name = std::move(name);
    out.index = index;
    return out;
}

std::vector<Program> programs()
{
    std::vector<uint32_t> twenty(20);
    return {
        {"single", {stage("single_array", "fill")}, {launchWords("fill", 0, 2, {0, 3, 64, 5})}},
        {"no input", {stage("single_noinput", "count")}, {launchWords("count", 0, 2, {2, 3, 4, 5, 1, 1})}},
        {"levels", {stage("level_a", "a"), stage("level_b", "b")}, {launchWords("a", 0, 1, {6})}},
        {"coalescing",
         {stage("coalesce_a", "scatter"), stage("coalesce_c", "gather")},
         {launchWords("scatter", 0, 1, {0}), launchWords("gather", 0, 20, twenty)}},
        {"recursion", {stage("recurse", "recurse")}, {launchWords("recurse", 0, 1, {0})}},
        {"array",
         {stage("array_a_value", "choose"), stage("array_n", "member", "arr", 1), stage("array_n", "member", "arr", 2),
          stage("array_n", "member", "arr", 4)},
         {launchWords("choose", 0, 1, {0})}},
        {"shared",
         {stage("share_a", "send"), stage("share_base", "base"), stage("share_twin", "twin"),
          stage("share_extra", "extra")},
         {launchWords("send", 0, 1, {0})}},
        {"finish", {stage("finish_a", "start"), stage("finish_b", "work")}, {launchWords("start", 0, 3, {1, 10, 100})}},
        {"dxc",
         {stage("dxc_a", "main", "entry", 0), stage("dxc_n", "thread"), stage("dxc_n", "group"),
          stage("dxc_n", "empty")},
         {launchWords("entry", 0, 1, {0})}},
    };
}

oracle::Statistics expected(const Program& program)
{
    std::vector<oracle::NodeSource> nodes;
    for (const Stage& stage : program.stages)
        nodes.push_back({stage.words, stage.entry, stage.name, stage.index, {}});
    oracle::Options options;
    options.grouping = oracle::Grouping::Full;
    oracle::Graph graph(nodes, options);
    std::vector<uint8_t> out(1024);
    graph.bindBuffer(0, 0, out);
    std::vector<oracle::Launch> launches;
    for (const Launch& launch : program.launches)
        launches.push_back({launch.name, launch.index, launch.count, launch.bytes, launch.stride});
    graph.dispatch(launches);
    return graph.statistics();
}

using Case = std::tuple<const char*, Scratch, const char*>;  // path, detail

class Trace : public VulkanTest, public testing::WithParamInterface<Case> {
protected:
    static bool exact() { return std::string(std::get<2>(GetParam())) == "nodes"; }

    // Runs all programs twice on a device of their own.
    static trace::Collector record()
    {
        const TemporaryFolder folder;
        const std::string path = folder.file("a.mrtrace");
        DeviceOptions options;
        options.path = std::get<0>(GetParam());
        options.words = {{"trace", path}, {"trace_detail", std::get<2>(GetParam())}};
        Device traced(options);
        for (const Program& program : programs()) {
            Runner runner(traced, RunnerOptions{});
            const VkPipeline graph = runner.createGraph(program.stages);
            for (int i = 0; i < 2; ++i) {
                runner.clearOutput();
                runner.run(graph, program.launches, {.scratch = std::get<1>(GetParam())});
            }
        }
        traced.close();
        for (const std::string& message : traced.takeMessages())
            ADD_FAILURE() << message;
        trace::Collector out;
        const Status status = trace::read(trace::readBytes(path), out);
        EXPECT_TRUE(status) << status.error().text();
        return out;
    }
};

// What a trace says of all sweeps of one dispatch together, as the oracle counts it.
struct Sums {
    std::map<std::tuple<std::string, uint32_t, uint32_t>, oracle::NodeStatistics> nodes;
    std::set<std::tuple<std::string, uint32_t, uint32_t>> unknownBytes;
    uint64_t bytes = 0;
    uint32_t sweeps = 0;
    uint64_t records = 0;
};

Sums sumOf(const trace::Collector& trace, const trace::Dispatch& dispatch)
{
    Sums sums;
    const trace::Graph& graph =
        *std::ranges::find(trace.graphs, dispatch.graph, [](const trace::Graph& g) { return g.id; });
    for (const trace::Sweep& sweep : trace.sweeps) {
        if (sweep.dispatch != dispatch.id)
            continue;
        EXPECT_EQ(sweep.number, sums.sweeps++);
        EXPECT_EQ(sweep.error, 0u);
        EXPECT_LE(sweep.memoryBytes, dispatch.scratchBytes);
        EXPECT_GE(sweep.time.end, sweep.time.begin);
        sums.bytes += sweep.bytesWritten;
        for (const trace::LevelWork& level : sweep.levels) {
            for (const trace::NodeWork& work : level.nodes) {
                const trace::Slot& slot = graph.slots[work.slot];
                EXPECT_EQ(slot.level, level.level);
                const trace::Node& node = graph.nodes[slot.node];
                const std::tuple key(node.name, node.index, slot.remaining);
                oracle::NodeStatistics& to = sums.nodes[key];
                to.payloads += work.records;
                to.workgroups += work.workgroups;
                to.invocations += work.lanesUsed;
                EXPECT_GE(work.lanesHeld, work.lanesUsed);
                EXPECT_EQ(work.bytesRead, work.records * node.payloadBytes);
                to.bytesSent += work.bytesWritten.value_or(0);
                if (!work.bytesWritten)
                    sums.unknownBytes.insert(key);
            }
        }
    }
    return sums;
}

TEST_P(Trace, CountsAreThoseOfTheOracle)
{
    const trace::Collector trace = record();
    EXPECT_EQ(trace.lostSweeps, 0u);
    const std::vector<Program> all = programs();
    ASSERT_EQ(trace.graphs.size(), all.size());
    ASSERT_EQ(trace.dispatches.size(), 2 * all.size());
    for (uint32_t i = 0; i < 2 * all.size(); ++i) {
        SCOPED_TRACE(all[i / 2].name + (i % 2 ? " again" : ""));
        const trace::Dispatch& dispatch = trace.dispatches.at(i);
        const Sums sums = sumOf(trace, dispatch);
        const oracle::Statistics wanted = expected(all[i / 2]);
        EXPECT_EQ(dispatch.exact, exact());
        // Who gets coalesced depends on what is there when, so with little memory there may be more workgroups.
        const bool few = dispatch.fits;
        EXPECT_TRUE(!dispatch.fits || sums.sweeps == 1) << sums.sweeps;
        uint64_t sent = wanted.bytesFromApi;
        for (const auto& [key, node] : wanted.nodes) {
            SCOPED_TRACE(std::get<0>(key) + "[" + std::to_string(std::get<1>(key)) + "], " +
                         std::to_string(std::get<2>(key)) + " left");
            sent += node.bytesSent;
            if (node.workgroups == 0)
                continue;
            ASSERT_TRUE(sums.nodes.contains(key));
            const oracle::NodeStatistics& found = sums.nodes.at(key);
            EXPECT_EQ(found.payloads, node.payloads);
            if (few) {
                EXPECT_EQ(found.workgroups, node.workgroups);
                EXPECT_EQ(found.invocations, node.invocations);
            } else {
                EXPECT_GE(found.workgroups, node.workgroups);
            }
            const bool isKnown = !sums.unknownBytes.contains(key);
            EXPECT_TRUE(isKnown || !exact());
            if (isKnown)
                EXPECT_EQ(found.bytesSent, node.bytesSent);
        }
        EXPECT_EQ(sums.bytes, sent);
        for (const auto& [key, found] : sums.nodes)
            EXPECT_TRUE(found.workgroups == 0 || wanted.nodes.contains(key)) << std::get<0>(key);
    }
}

// Payloads of each level of the tree that shaders/grove.spvasm makes of one value.
std::vector<uint64_t> levelsOfGrove(uint32_t value)
{
    std::vector<uint64_t> sizes;
    std::vector<uint32_t> level{value};
    for (uint32_t i = 0; i <= 3; ++i) {
        sizes.push_back(level.size());
        std::vector<uint32_t> next;
        for (const uint32_t v : level)
            for (uint32_t child = 0; child < 3 + v % 2; ++child)
                next.push_back(3 * v + child);
        level = std::move(next);
    }
    return sizes;
}

// Payloads of each slot that ran for such a tree, on a device that one tree does not keep busy.
std::vector<uint64_t> slotsOfGrove(uint32_t subgroupOperations)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.mrtrace");
    DeviceOptions options;
    options.words = {{"trace", path}};
    options.traits = {{"grid_groups", 16}, {"subgroup_operations", subgroupOperations}};
    Device traced(options);
    {
        Runner runner(traced, RunnerOptions{});
        const VkPipeline graph = runner.createGraph({stage("grove", "grove")});
        runner.run(graph, {launchWords("grove", 0, 1, {5})}, {.scratch = Scratch::Maximum});
        const std::vector<uint64_t> wanted = levelsOfGrove(5);
        for (uint32_t i = 0; i <= 3; ++i)
            EXPECT_EQ(runner.outputWords()[3 - i], wanted[i]);
    }
    traced.close();
    trace::Collector trace;
    EXPECT_TRUE(trace::read(trace::readBytes(path), trace));
    std::vector<uint64_t> found;
    for (const trace::Sweep& sweep : trace.sweeps)
        for (const trace::LevelWork& level : sweep.levels)
            for (const trace::NodeWork& work : level.nodes)
                found.push_back(work.records);
    return found;
}

// No invocation runs two payloads, since there are as many slots as levels. Else the leaves, which may have much to do,
// would run one after the other.
TEST(TraceDepthFirst, SmallTree_EachPayloadHasAnInvocation)
{
    EXPECT_EQ(slotsOfGrove(abi::kSubgroupArithmetic), levelsOfGrove(5));
}

// Neighbours run the root and what it sent, in one slot less; each of the leaves still has an invocation.
TEST(TraceDepthFirst, SmallTree_NeighboursShareItsTop)
{
    VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroups};
    vkGetPhysicalDeviceProperties2(sharedDevice().physical, &properties);
    if (!(subgroups.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT))
        GTEST_SKIP() << "the device does not shuffle";
    const std::vector<uint64_t> levels = levelsOfGrove(5);
    EXPECT_EQ(slotsOfGrove(abi::kSubgroupShuffle), (std::vector<uint64_t>{levels[0], levels[2], levels[3]}));
}

// How a command buffer that is recorded once is executed three times.
struct Executions {
    const char* name;
    VkCommandBufferUsageFlags usage;
    bool waits;  // for each before the next
};

class TraceOfExecutions : public VulkanTest, public testing::WithParamInterface<std::tuple<Executions, const char*>> {
protected:
    static constexpr uint32_t kTimes = 3;

    static VkCommandBuffer record(Runner& runner, const Executions& how, VkPipeline graph, const Buffer& scratch,
                                  const std::vector<Launch>& launches)
    {
        const Device& device = runner.device();
        VkCommandBufferAllocateInfo allocateInfo{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocateInfo.commandPool = device.pool;
        allocateInfo.commandBufferCount = 1;
        VkCommandBuffer cmd = VK_NULL_HANDLE;
        EXPECT_EQ(vkAllocateCommandBuffers(device.device, &allocateInfo, &cmd), VK_SUCCESS);
        VkCommandBufferBeginInfo beginInfo{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        beginInfo.flags = how.usage;
        EXPECT_EQ(vkBeginCommandBuffer(cmd, &beginInfo), VK_SUCCESS);
        Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        runner.bind(cmd, graph);
        runner.dispatchHost(cmd, graph, scratch, launches);
        EXPECT_EQ(vkEndCommandBuffer(cmd), VK_SUCCESS);
        return cmd;
    }

    static void execute(const Device& device, const Executions& how, VkCommandBuffer cmd)
    {
        VkSubmitInfo submitInfo{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submitInfo.commandBufferCount = 1;
        submitInfo.pCommandBuffers = &cmd;
        for (uint32_t i = 0; i < kTimes; ++i) {
            EXPECT_EQ(vkQueueSubmit(device.queue, 1, &submitInfo, VK_NULL_HANDLE), VK_SUCCESS);
            if (how.waits || i + 1 == kTimes)
                EXPECT_EQ(vkQueueWaitIdle(device.queue), VK_SUCCESS);
        }
        vkFreeCommandBuffers(device.device, device.pool, 1, &cmd);
    }
};

// Each has times of its own, whoever takes them from the device: also of graphs whose last level sends something.
TEST_P(TraceOfExecutions, EachIsThere)
{
    const auto& [how, detail] = GetParam();
    const TemporaryFolder folder;
    const std::string path = folder.file("a.mrtrace");
    DeviceOptions options;
    options.words = {{"trace", path}, {"trace_detail", detail}};
    Device traced(options);
    const std::vector<Program> all = programs();
    {
        Runner runner(traced, RunnerOptions{});
        for (const Program& program : all) {
            const VkPipeline graph = runner.createGraph(program.stages);
            const Buffer scratch = runner.createScratch(runner.scratchBytes(graph, Scratch::Maximum));
            traced.submit([&](VkCommandBuffer cmd) { runner.initialize(cmd, graph, scratch); });
            execute(traced, how, record(runner, how, graph, scratch, program.launches));
        }
    }
    traced.close();
    EXPECT_EQ(traced.takeMessages(), std::vector<std::string>());
    trace::Collector trace;
    ASSERT_TRUE(trace::read(trace::readBytes(path), trace));
    ASSERT_EQ(trace.sweeps.size(), kTimes * all.size());
    uint64_t before = 0;
    for (size_t i = 0; i < trace.sweeps.size(); ++i) {
        SCOPED_TRACE(all[i / kTimes].name + ", " + std::to_string(i % kTimes));
        const trace::Sweep& sweep = trace.sweeps[i];
        const trace::Sweep& first = trace.sweeps[i / kTimes * kTimes];
        EXPECT_EQ(sweep.run, i % kTimes);
        EXPECT_EQ(sweep.number, 0u);
        EXPECT_GT(sweep.time.begin, before);
        before = sweep.time.end;
        ASSERT_EQ(sweep.levels.size(), first.levels.size());
        for (size_t level = 0; level < sweep.levels.size(); ++level) {
            EXPECT_LE(sweep.time.begin, sweep.levels[level].time.begin);
            EXPECT_LT(sweep.levels[level].time.begin, sweep.levels[level].time.end);
            EXPECT_LE(sweep.levels[level].time.end, sweep.time.end);
            EXPECT_EQ(sweep.levels[level].nodes.size(), first.levels[level].nodes.size());
        }
        EXPECT_GT(first.bytesWritten, 0u);
        EXPECT_EQ(sweep.bytesWritten, first.bytesWritten);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TraceOfExecutions,
    testing::Combine(testing::Values(Executions{"waited_for", 0, true},
                                     Executions{"in_flight", VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, false}),
                     testing::Values("steps", "nodes")),
    [](const auto& info) {
        return std::string(std::get<0>(info.param).name) + "_" + std::string(std::get<1>(info.param));
    });

std::string caseName(const testing::TestParamInfo<Case>& info)
{
    return std::string(std::get<0>(info.param)) + "_" + nameOf(std::get<1>(info.param)) + "_" + std::get<2>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Cases, Trace,
                         testing::Combine(testing::Values("direct", "indirect"),
                                          testing::Values(Scratch::Minimum, Scratch::Maximum),
                                          testing::Values("steps", "nodes")),
                         caseName);

}  // namespace

}  // namespace millrace::harness
