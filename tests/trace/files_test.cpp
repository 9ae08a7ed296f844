// SPDX-License-Identifier: Apache-2.0
// The compact file: what was written is read, and what is damaged is refused.
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "harness/temporary_folder.h"
#include "trace/archive.h"
#include "trace/collect.h"
#include "trace/file.h"

namespace millrace::trace {

namespace {

Graph graph()
{
    Graph graph{.id = 7, .name = "tree \"of\" life", .levels = 3};
    graph.nodes.push_back({.name = "root",
                           .index = 300,
                           .entryPoint = "main",
                           .launch = Launch::Coalescing,
                           .invocations = 64,
                           .maxInput = 5,
                           .payloadBytes = 12,
                           .outputs = {{"leaf", 8, 70000, 0}}});
    graph.nodes.push_back({.name = "leaf", .launch = Launch::Packed, .sharesInputWith = 0});
    graph.slots = {{0, 0, 0, 1, {{1}}}, {1, 2, 1, 2, {}}};
    graph.queues = {{0, 12, 16}, {1, 8, 8}};
    return graph;
}

Dispatch dispatch()
{
    return {.id = 2,
            .graph = 7,
            .exact = true,
            .timed = true,
            .scratchBytes = uint64_t{1} << 33,
            .tableBytes = 4096,
            .regionBytes = {16, 32, 0},
            .queueEntries = {1, 2},
            .steps = {{0, {}, 1}, {1, {0}, 0}, {2, {1}, 12}},
            .barriersOnce = 2,
            .barriersSweep = 5};
}

Sweep sweep()
{
    Sweep sweep{.dispatch = 2, .run = 1, .number = 3, .time = {uint64_t{1} << 60, (uint64_t{1} << 60) + 1000}};
    sweep.bytesWritten = 80;
    sweep.levels = {{0, sweep.time, 16, std::nullopt, {}},
                    {1, sweep.time, std::nullopt, 64, {{0, 5, 1, 64, 64, 60, std::nullopt, 9, sweep.time}}}};
    sweep.queues = {{1, 10, 2}};
    return sweep;
}

MeshPipeline meshPipeline()
{
    return {.id = 3,
            .name = "grass",
            .hasTask = true,
            .hasMesh = true,
            .corners = 3,
            .maxVertices = 64,
            .maxPrimitives = 126};
}

MeshWork meshWork()
{
    return {.pipeline = 3,
            .taskGroups = 10,
            .emptyTaskGroups = 2,
            .emittedGroups = 300,
            .groups = 300,
            .emptyGroups = 7,
            .culledGroups = 9,
            .vertices = uint64_t{1} << 40,
            .primitives = 12000,
            .culledPrimitives = 500,
            .vertexFill = {7, 0, 0, 0, 0, 0, 0, 0, 293},
            .primitiveFill = {7, 0, 0, 0, 0, 0, 0, 293, 0},
            .mostEmitted = 64,
            .mostVertices = 64,
            .mostPrimitives = 120};
}

GeneratedCall generatedCall()
{
    return {.id = 9,
            .name = "call 2 of the command buffer, in the label 'trees'",
            .way = "draws from the stream",
            .tokens = {"EXECUTION_SET", "DRAW"},
            .maxSequences = 70000,
            .combined = true,
            .hasSet = true,
            .pipelines = {"index 0", "index 3 'firs'"}};
}

GeneratedWork generatedWork()
{
    return {.call = 9,
            .executions = 2,
            .sequences = uint64_t{1} << 33,
            .byPipeline = {5, 300},
            .leftOut = 1,
            .times = {{7, 9}, {9, uint64_t{1} << 50}}};
}

MeshFront meshFront()
{
    return {.name = "instance 2, in the label 'trees'", .draws = 300, .time = {uint64_t{1} << 41, uint64_t{1} << 42}};
}

std::string bytesOf(const auto& value)
{
    Encoder encoder;
    encoder(value);
    return encoder.take();
}

class Files : public testing::Test {
protected:
    void SetUp() override
    {
        auto writer = FileWriter::create(m_path);
        ASSERT_TRUE(writer) << writer.error().text();
        (*writer)->device({"a device", "path = direct", 32, {{"grid_max_groups", 300, "measured"}}});
        (*writer)->graph(graph());
        (*writer)->dispatch(dispatch());
        (*writer)->sweep(sweep());
        (*writer)->lost(4);
        (*writer)->meshPipeline(meshPipeline());
        (*writer)->meshWork(meshWork());
        (*writer)->meshFront(meshFront());
        (*writer)->generatedCall(generatedCall());
        (*writer)->generatedWork(generatedWork());
        (*writer)->generatedWork({.call = 9, .executions = 3});
        writer->reset();
        m_bytes = readBytes(m_path);
    }

    const TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("a.mrtrace");
    std::vector<char> m_bytes;
};

TEST_F(Files, ReadWhatWasWritten)
{
    Collector found;
    const Status status = read(m_bytes, found);
    ASSERT_TRUE(status) << status.error().text();
    ASSERT_EQ(found.devices.size(), 1u);
    EXPECT_EQ(found.devices[0].name, "a device");
    EXPECT_EQ(found.devices[0].subgroupSize, 32u);
    EXPECT_EQ(traitsText(found.devices[0]), "grid_max_groups 300 (measured)");
    ASSERT_EQ(found.graphs.size(), 1u);
    EXPECT_EQ(found.graphs[0].nodes[0].index, 300u);
    EXPECT_EQ(found.graphs[0].nodes[1].launch, Launch::Packed);
    EXPECT_EQ(bytesOf(found.graphs[0]), bytesOf(graph()));
    EXPECT_EQ(bytesOf(found.dispatches[2]), bytesOf(dispatch()));
    ASSERT_EQ(found.sweeps.size(), 1u);
    EXPECT_EQ(found.sweeps[0].levels[1].nodes[0].waiting, 9u);
    EXPECT_FALSE(found.sweeps[0].levels[1].bytesWritten);
    EXPECT_EQ(found.sweeps[0].time.begin, uint64_t{1} << 60);
    EXPECT_EQ(bytesOf(found.sweeps[0]), bytesOf(sweep()));
    EXPECT_EQ(found.lostSweeps, 4u);
    EXPECT_EQ(bytesOf(found.meshPipelines[3]), bytesOf(meshPipeline()));
    ASSERT_EQ(found.meshWorks.size(), 1u);
    EXPECT_EQ(found.meshWorks[0].vertices, uint64_t{1} << 40);
    EXPECT_EQ(bytesOf(found.meshWorks[0]), bytesOf(meshWork()));
    ASSERT_EQ(found.meshFronts.size(), 1u);
    EXPECT_EQ(bytesOf(found.meshFronts[0]), bytesOf(meshFront()));
    EXPECT_EQ(bytesOf(found.generatedCalls[9]), bytesOf(generatedCall()));
    ASSERT_EQ(found.generatedWorks.size(), 2u);
    EXPECT_EQ(bytesOf(found.generatedWorks[0]), bytesOf(generatedWork()));
    EXPECT_EQ(found.generatedWorks[0].sequences, uint64_t{1} << 33);
    EXPECT_FALSE(found.generatedWorks[1].sequences);
    EXPECT_TRUE(found.generatedWorks[1].times.empty());
}

// As an older version meets it in the file of a later one.
TEST_F(Files, PartOfAnUnknownKind_RefusedByItsPlace)
{
    const size_t end = m_bytes.size();
    m_bytes.insert(m_bytes.end(), {'Q', 0, 0, 0, 0});
    Collector found;
    const Status status = read(m_bytes, found);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().text().find("byte " + std::to_string(end)), std::string::npos) << status.error().text();
    EXPECT_NE(status.error().text().find("a later version"), std::string::npos) << status.error().text();
}

// Between two parts a process may end; inside of a part something is missing.
TEST_F(Files, CutOffAnywhere_RefusedUnlessBetweenParts)
{
    std::set<size_t> ends = {8};
    for (size_t at = 8; at + 5 <= m_bytes.size();) {
        uint32_t length = 0;
        std::memcpy(&length, m_bytes.data() + at + 1, sizeof length);
        at += 5 + length;
        ends.insert(at);
    }
    ASSERT_GT(ends.size(), 4u);
    size_t whole = 0;
    for (size_t length = 8; length <= m_bytes.size(); ++length) {
        Collector found;
        const Status status = read(std::span(m_bytes).first(length), found);
        ASSERT_EQ(static_cast<bool>(status), ends.contains(length)) << length;
        if (!status)
            EXPECT_NE(status.error().text().find("the trace is cut"), std::string::npos) << status.error().text();
        whole = found.sweeps.size();
    }
    EXPECT_EQ(whole, 1u);
}

// Whatever stands in it, reading ends, and nothing refers to what is not there.
TEST_F(Files, Damaged)
{
    uint32_t refused = 0;
    for (size_t at = 0; at < m_bytes.size(); ++at) {
        for (const int change : {0x01, 0x40, 0xff}) {
            std::vector<char> bytes = m_bytes;
            bytes[at] = static_cast<char>(bytes[at] ^ change);
            Collector found;
            refused += read(bytes, found) ? 0 : 1;
            for (const MeshWork& work : found.meshWorks)
                ASSERT_TRUE(found.meshPipelines.contains(work.pipeline));
            for (const GeneratedWork& work : found.generatedWorks) {
                ASSERT_TRUE(found.generatedCalls.contains(work.call));
                ASSERT_LE(work.byPipeline.size(), found.generatedCalls[work.call].pipelines.size());
                for (const Span& time : work.times)
                    ASSERT_LE(time.begin, time.end);
            }
            for (const MeshFront& front : found.meshFronts)
                ASSERT_LE(front.time.begin, front.time.end);
            for (const Sweep& sweep : found.sweeps) {
                ASSERT_TRUE(found.dispatches.contains(sweep.dispatch));
                for (const LevelWork& level : sweep.levels)
                    for (const NodeWork& work : level.nodes)
                        ASSERT_LT(work.slot, 2u);
            }
        }
    }
    EXPECT_GT(refused, m_bytes.size() / 4);
    Collector nothing;
    EXPECT_FALSE(read(std::string_view("[{}]"), nothing));
}

TEST_F(Files, CannotBeMade)
{
    const auto writer = FileWriter::create("/nowhere/at/all");
    ASSERT_FALSE(writer);
    EXPECT_NE(writer.error().text().find("/nowhere/at/all"), std::string::npos);
}

}  // namespace

}  // namespace millrace::trace
