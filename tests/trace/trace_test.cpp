// SPDX-License-Identifier: Apache-2.0
// Traces of the graphs of tests/programs, on both paths, with much and little memory and in both details, against what
// the interpreter of tests/oracle counts.
#include <algorithm>
#include <filesystem>
#include <set>

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
        std::string path = testing::UnitTest::GetInstance()->current_test_info()->name();
        std::ranges::replace(path, '/', '_');
        path = testing::TempDir() + "millrace_" + path + ".mrtrace";
        std::filesystem::remove(path);
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
            if (isKnown) {
                EXPECT_EQ(found.bytesSent, node.bytesSent);
            }
        }
        EXPECT_EQ(sums.bytes, sent);
        for (const auto& [key, found] : sums.nodes)
            EXPECT_TRUE(found.workgroups == 0 || wanted.nodes.contains(key)) << std::get<0>(key);
    }
}

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
