// SPDX-License-Identifier: Apache-2.0
// What `millrace report` finds in a trace: one graph in which nothing stands out, and what has to be said when one
// thing in it changes.
#include <gtest/gtest.h>

#include "tools/report/findings.h"

namespace millrace::tools::report {

namespace {

constexpr uint64_t kGroups = 100000;

// "start" sends to the array "shade" of 5, each member runs half as often.
TraceSummary healthy()
{
    TraceSummary trace;
    trace.device = {"a device", "", 32};
    GraphSummary& graph = trace.graphs.emplace_back();
    graph.shape.name = "graph";
    graph.shape.nodes.push_back({.name = "start", .invocations = 64, .payloadBytes = 4});
    for (uint32_t i = 0; i < 5; ++i)
        graph.shape.nodes.push_back({.name = "shade",
                                     .index = i,
                                     .launch = trace::Launch::Coalescing,
                                     .invocations = 64,
                                     .maxInput = 8,
                                     .payloadBytes = 16});
    for (size_t n = 0; n < graph.shape.nodes.size(); ++n) {
        NodeSummary node;
        node.activeLevels = 10;
        node.workgroups = n == 0 ? kGroups : kGroups / 2;
        node.most = node.workgroups / 10;
        node.records = n == 0 ? kGroups : node.workgroups * 8;
        node.lanesUsed = node.workgroups * 60;
        node.lanesHeld = node.workgroups * 64;
        node.budgetBytes = n == 0 ? uint64_t{10} << 20 : 0;
        node.bytesWritten.add(n == 0 ? uint64_t{8} << 20 : 0);
        graph.nodes.push_back(node);
        if (n > 0)
            graph.flows.push_back({0, static_cast<uint32_t>(n), node.records, true});
    }
    graph.runs = graph.sweeps = 10;
    graph.steps = 30;
    graph.nanoseconds = 1000;
    return trace;
}

// The only finding.
Finding theFinding(const TraceSummary& trace)
{
    const std::vector<Finding> all = findIn(trace);
    EXPECT_EQ(all.size(), 1u);
    for (const Finding& finding : all)
        EXPECT_FALSE(finding.advice.empty()) << finding.text;
    return all.empty() ? Finding{} : all[0];
}

TEST(Findings, FirstRunOfMostTime)
{
    TraceSummary trace = healthy();
    trace.graphs[0].nanoseconds = 24'000'000;
    trace.graphs[0].runNanoseconds = {20'000'000, 1'000'000, 3'000'000};
    const Finding finding = theFinding(trace);
    EXPECT_EQ(finding.text, "the first run took 20.000 ms, the others 3.000 ms in the median");
    EXPECT_NE(finding.advice.find("--skip-runs 1"), std::string::npos);
    trace.graphs[0].runNanoseconds = {9'000'000, 8'000'000, 7'000'000};
    EXPECT_TRUE(findIn(trace).empty());
    trace.graphs[0].runNanoseconds = {24'000'000};
    EXPECT_TRUE(findIn(trace).empty());
}

namespace {

// Nothing stands out: meshlets of 60 vertices and 100 primitives, a tenth of which is culled.
TraceSummary healthyMeshes()
{
    TraceSummary trace;
    MeshSummary& mesh = trace.meshes.emplace_back();
    mesh.shape = {.id = 0,
                  .name = "grass",
                  .hasTask = true,
                  .hasMesh = true,
                  .corners = 3,
                  .maxVertices = 64,
                  .maxPrimitives = 126};
    mesh.work.taskGroups = 1000;
    mesh.work.emittedGroups = mesh.work.groups = 20000;
    mesh.work.emptyGroups = 10;
    mesh.work.vertices = 20000 * 60;
    mesh.work.primitives = 20000 * 100;
    mesh.work.culledPrimitives = 20000 * 10;
    return trace;
}

}  // namespace

TEST(Findings, MeshShaders)
{
    EXPECT_TRUE(findIn(healthyMeshes()).empty());
    TraceSummary trace = healthyMeshes();
    trace.meshes[0].work.emptyGroups = 10000;
    EXPECT_EQ(theFinding(trace).text, "grass: 50 % of the workgroups have no primitives");
    EXPECT_EQ(theFinding(trace).mesh, 0u);
    trace = healthyMeshes();
    trace.meshes[0].work.culledPrimitives = 20000 * 70;
    EXPECT_EQ(theFinding(trace).text, "grass: 70 % of the primitives are culled by the mesh shader");
    trace = healthyMeshes();
    trace.meshes[0].shape.maxVertices = trace.meshes[0].shape.maxPrimitives = 256;
    EXPECT_EQ(
        theFinding(trace).text,
        "grass: workgroups that are not empty have 23 % of the vertices and 39 % of the primitives that they declare");
    trace = healthyMeshes();
    trace.meshes[0].work.primitives = 20000 * 20;
    trace.meshes[0].work.culledPrimitives = 0;
    EXPECT_EQ(theFinding(trace).text,
              "grass: nearly each corner of a primitive has a vertex of its own (1.00 vertices for each corner)");
    trace = healthyMeshes();
    trace.meshes[0].work.emittedGroups = trace.meshes[0].work.groups = 1500;
    trace.meshes[0].work.vertices = 1500 * 60;
    trace.meshes[0].work.primitives = 1500 * 100;
    trace.meshes[0].work.culledPrimitives = 0;
    EXPECT_EQ(theFinding(trace).text, "grass: a workgroup of the task shader emits 1.50 workgroups on average");
    // Of a few workgroups nothing is said.
    trace.meshes[0].work.taskGroups = 4;
    trace.meshes[0].work.emittedGroups = 4;
    trace.meshes[0].work.groups = 4;
    trace.meshes[0].work.emptyGroups = 4;
    EXPECT_TRUE(findIn(trace).empty());
}

TEST(Findings, GeneratedCommandsThatMeanNoPipeline)
{
    TraceSummary trace;
    trace.calls.push_back({.shape = {.name = "call 1", .hasSet = true, .pipelines = {"index 0"}},
                           .executions = 2,
                           .sequences = 50,
                           .byPipeline = {50}});
    EXPECT_TRUE(findIn(trace).empty());
    trace.calls[0].byPipeline = {47};
    trace.calls[0].leftOut = 3;
    const Finding finding = theFinding(trace);
    EXPECT_EQ(finding.kind, Finding::Kind::Problem);
    EXPECT_EQ(finding.call, 0u);
    EXPECT_FALSE(finding.isOfGraph());
    EXPECT_EQ(finding.text, "call 1: 3 of 50 sequences mean no pipeline of the set, and were left out");
}

TEST(Findings, NothingStandsOut)
{
    for (const Finding& finding : findIn(healthy()))
        ADD_FAILURE() << finding.text;
}

TEST(Findings, IdleLanes)
{
    TraceSummary trace = healthy();
    trace.graphs[0].nodes[2].lanesUsed = trace.graphs[0].nodes[2].lanesHeld / 4 * 3;
    const Finding finding = theFinding(trace);
    EXPECT_EQ(finding.node, 2u);
    EXPECT_EQ(finding.text, "'shade[1]' uses 75 % of the lanes that it holds: workgroups of 64 on subgroups of 32");
    // Not where a node hardly counts.
    trace.graphs[0].nodes[2].lanesHeld /= 1000;
    trace.graphs[0].nodes[2].lanesUsed /= 1000;
    EXPECT_TRUE(findIn(trace).empty());
}

TEST(Findings, CoalescingThatFillsFew)
{
    TraceSummary trace = healthy();
    trace.graphs[0].nodes[1].records /= 4;
    EXPECT_EQ(theFinding(trace).text, "'shade' coalesces 25 % of the 8 payloads that a workgroup may take");
}

TEST(Findings, SkewedArray)
{
    TraceSummary trace = healthy();
    for (uint32_t n : {1u, 2u, 3u, 5u}) {
        NodeSummary& node = trace.graphs[0].nodes[n];
        node.workgroups /= 100;
        node.records /= 100;
        node.most /= 100;
        node.lanesUsed /= 100;
        node.lanesHeld /= 100;
    }
    const Finding finding = theFinding(trace);
    EXPECT_EQ(finding.node, 4u);
    EXPECT_EQ(finding.text, "'shade[3]' gets 96 % of the workgroups of its array of 5");
}

TEST(Findings, SkewedSteps)
{
    TraceSummary trace = healthy();
    trace.graphs[0].nodes[0].most = kGroups / 2;
    EXPECT_EQ(theFinding(trace).text, "'start' has 50 % of its workgroups in one of 10 steps");
}

TEST(Findings, BudgetThatNobodyUses)
{
    TraceSummary trace = healthy();
    trace.graphs[0].nodes[0].budgetBytes = uint64_t{400} << 20;
    EXPECT_EQ(theFinding(trace).text, "'start' sent 2.0 % of what it reserved memory for (400.0 MiB)");
}

TEST(Findings, EmptyLevels)
{
    TraceSummary trace = healthy();
    trace.graphs[0].emptySteps = 7;
    trace.graphs[0].emptyNanoseconds = 200;
    EXPECT_EQ(theFinding(trace).text, "7 levels ran without work, which took 20 % of the time");
}

TEST(Findings, WhatCouldBeFused)
{
    TraceSummary trace = healthy();
    GraphSummary& graph = trace.graphs[0];
    graph.shape.nodes.push_back({.name = "next", .invocations = 64});
    graph.nodes.push_back(graph.nodes[5]);
    graph.nodes.back().records = graph.nodes[5].workgroups;
    graph.nodes.back().budgetBytes = 0;
    graph.flows.push_back({5, 6, graph.nodes.back().records, true});
    EXPECT_EQ(theFinding(trace).text, "'next' runs once for each workgroup of 'shade[4]' and for nobody else");
    // Not if others may have sent some of it.
    graph.flows.back().exact = false;
    EXPECT_TRUE(findIn(trace).empty());
}

TEST(Findings, NodesThatNeverRan)
{
    TraceSummary trace = healthy();
    trace.graphs[0].shape.nodes.push_back({.name = "never"});
    trace.graphs[0].nodes.emplace_back();
    EXPECT_EQ(theFinding(trace).text, "1 node did not run by itself: 'never'");
    const auto never = static_cast<uint32_t>(trace.graphs[0].nodes.size() - 1);
    trace.graphs[0].shape.slots.push_back({.node = 0, .level = 1, .outputQueues = {{1}}});
    trace.graphs[0].shape.slots.push_back({.node = never, .queue = 1, .level = 2});
    EXPECT_EQ(theFinding(trace).text, "1 node never had work: 'never'");
}

TEST(Findings, ProblemsComeFirst)
{
    TraceSummary trace = healthy();
    trace.graphs[0].nodes[0].most = kGroups / 2;
    trace.graphs[0].sweeps = 12;
    trace.graphs[0].error = 1;
    trace.graphs[0].dropped = 3;
    trace.lostSweeps = 2;
    const std::vector<Finding> all = findIn(trace);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].text, "2 sweeps are missing in this trace");
    EXPECT_EQ(all[1].text, "3 payloads were dropped because a limit was broken");
    EXPECT_EQ(all[2].text, "10 runs needed 2 continuations for want of memory (scratch memory of 0 bytes)");
    EXPECT_EQ(all[2].kind, Finding::Kind::Problem);
    EXPECT_EQ(all[3].kind, Finding::Kind::Hint);
}

TEST(Summary, LanesOfACoalescingNodeAreThoseOfItsPayloads)
{
    const trace::Node node{.launch = trace::Launch::Coalescing, .invocations = 64, .maxInput = 8};
    const trace::NodeWork work{.records = 20, .workgroups = 10, .lanesUsed = 640, .lanesHeld = 640};
    EXPECT_EQ(lanesWithPayloads(node, work), 160u);
    trace::NodeWork full = work;
    full.records = 80;
    EXPECT_EQ(lanesWithPayloads(node, full), 640u);
    trace::Node fixed = node;
    fixed.launch = trace::Launch::Static;
    EXPECT_EQ(lanesWithPayloads(fixed, work), 640u);
}

}  // namespace

}  // namespace millrace::tools::report
