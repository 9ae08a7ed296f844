// SPDX-License-Identifier: Apache-2.0
// D1: what it costs that the device has the inputs (vkCmdDispatchGraphIndirectAMDX and -IndirectCountAMDX) and not the
// host: nodes that send nothing, two levels, and a thousand infos of one payload for a hundred nodes.
#include <algorithm>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kWords = 1u << 20;

void measureForms(Bench& bench, const std::string& name, Graph& graph, Output& sums)
{
    graph.useDeviceInputs();
    Case todo;
    todo.name = name;
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { sums.clear(cmd, 0); };
    todo.check = [&] { return sums.difference(); };
    todo.versions = {
        {Role::Other, "host inputs", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.recordDeviceInputs(cmd, harness::Form::Indirect); }},
        {Role::Other, "count on the device",
         [&](VkCommandBuffer cmd) { graph.recordDeviceInputs(cmd, harness::Form::IndirectCount); }},
    };
    todo.goal = "host inputs";
    bench.measure(todo);
}

// `words`: to which each input adds.
std::vector<uint32_t> expectedOf(uint32_t inputs, uint32_t words)
{
    std::vector<uint32_t> expected(kWords);
    for (uint32_t i = 0; i < inputs; ++i)
        for (uint32_t j = 0; j < words; ++j)
            expected[i * words % kWords + j] += 1 + i % 3;
    return expected;
}

void leaves(Bench& bench, uint32_t inputs, const std::string& kind)
{
    const uint32_t words = kind == "single" ? 1 : 32;
    std::vector<uint32_t> given;
    for (uint32_t i = 0; i < inputs; ++i)
        given.insert(given.end(), {4, i * words % kWords, 1 + i % 3});
    Output sums(bench.device(), expectedOf(inputs, words));
    Definitions definitions;
    if (kind != "single")
        definitions.emplace_back(kind == "static" ? "GRID" : "DYNAMIC", "");
    Graph graph(bench.device(), {{"d01/leaf", "leaf", definitions}}, 8);
    graph.setArguments(argumentsOf(sums.address()));
    graph.setLaunches({harness::launchWords("leaf", 0, inputs, given)});
    measureForms(bench, text(inputs) + " inputs, a leaf, " + kind, graph, sums);
}

void levels(Bench& bench, uint32_t inputs, bool hasGrids)
{
    std::vector<uint32_t> given;
    for (uint32_t i = 0; i < inputs; ++i)
        given.insert(given.end(), {1, 0, 1, i * 64 % kWords, 1 + i % 3});
    Output sums(bench.device(), expectedOf(inputs, 64));
    Definitions definitions;
    if (hasGrids)
        definitions.emplace_back("GRIDS", "");
    Graph graph(bench.device(), {{"s02/entry", "entry", definitions}, {"s02/add", "add", definitions}}, 8);
    graph.setArguments(argumentsOf(sums.address()));
    graph.setLaunches({harness::launchWords("entry", 0, inputs, given)});
    measureForms(bench, text(inputs) + " inputs, two levels, " + (hasGrids ? "workgroups" : "single invocations"),
                 graph, sums);
}

// `each`: payloads of an info.
void infos(Bench& bench, uint32_t count, uint32_t nodes, uint32_t each)
{
    Output sums(bench.device(), expectedOf(count * each, 1));
    Graph graph(bench.device(), {{"d01/leaf", "leaf", {}, nodes}}, 8);
    graph.setArguments(argumentsOf(sums.address()));
    std::vector<harness::Launch> launches;
    for (uint32_t i = 0; i < count; ++i) {
        std::vector<uint32_t> given;
        for (uint32_t j = i * each; j < (i + 1) * each; ++j)
            given.insert(given.end(), {4, j % kWords, 1 + j % 3});
        launches.push_back(harness::launchWords("leaf", i % nodes, each, given));
    }
    graph.setLaunches(std::move(launches));
    measureForms(bench, text(count) + " infos of " + text(each) + " inputs, " + text(nodes) + " nodes", graph, sums);
}

}  // namespace

void deviceInputs(Bench& bench)
{
    for (const uint32_t inputs :
         bench.pick<std::vector<uint32_t>>({1, 1000, 100'000, 1'000'000}, {1, 1000, 10'000}, {1, 40})) {
        for (const char* kind : {"single", "static", "dynamic"})
            leaves(bench, inputs, kind);
        levels(bench, inputs, false);
        levels(bench, inputs, true);
    }
    const uint32_t many = bench.pick(1000u, 1000u, 50u);
    const uint32_t nodes = many / 10;
    infos(bench, many, nodes, 1);
    infos(bench, 1, nodes, many);
}

}  // namespace millrace::bench
