// SPDX-License-Identifier: Apache-2.0
// Queries of mesh shaders (meshShaderQueries), by the layer and by the driver if it can: they count what the host does.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <vector>

#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

constexpr VkQueryType kPrimitives = VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT;
constexpr VkQueryType kStatistics = VK_QUERY_TYPE_PIPELINE_STATISTICS;
constexpr VkQueryPipelineStatisticFlags kTasks = VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT;
constexpr VkQueryPipelineStatisticFlags kMeshes = VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT;
constexpr VkQueryPipelineStatisticFlags kFragments = VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT;
constexpr uint32_t kMeshInvocations = 2 * kSquares;  // of a workgroup
constexpr uint32_t kTaskInvocations = kCells;        // likewise
constexpr VkQueryResultFlags kWhole = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
constexpr uint64_t kOld = 0xabababababababab;

using Values = std::vector<uint64_t>;

// None of which is culled: whether those count is the driver's affair.
std::vector<Cell> cellsOf(uint32_t seed)
{
    std::vector<Cell> cells = randomCells(seed);
    for (Cell& cell : cells)
        for (uint32_t& color : cell.colors)
            color &= 0xffffff;
    return cells;
}

// Two triangles for each square of the first rows.
uint64_t primitivesOf(const std::vector<Cell>& cells, uint32_t rows = kCells)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rows * kCells; ++i)
        sum += 2 * cells[i].count;
    return sum;
}

// That the task shader emits for the rows.
uint64_t groupsOf(const std::vector<Cell>& cells)
{
    uint64_t sum = 0;
    for (uint32_t row = 0; row < kCells; ++row) {
        uint64_t taken = 0;
        for (uint32_t i = 0; i < kCells; ++i)
            taken += cells[row * kCells + i].count != 0;
        sum += (taken + 1) / 2 * 2;
    }
    return sum;
}

class MeshQueriesOfLayer : public testing::Test {
protected:
    void SetUp() override { start(Beside::Nothing); }
    void TearDown() override
    {
        m_picture.reset();
        m_device.reset();
    }
    virtual Provider provider() const { return Provider::Layer; }
    void start(Beside beside)
    {
        TearDown();
        if (provider() == Provider::Driver && !driverHasMeshShaders())
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        m_device.emplace(provider(), beside);
        m_picture.emplace(*m_device);
        if (!m_device->hasMeshQueries())
            GTEST_SKIP() << "the device lacks meshShaderQueries";
    }

    MeshDevice& device() { return *m_device; }
    Picture& picture() { return *m_picture; }
    VkQueryPool createQueries(VkQueryType type, VkQueryPipelineStatisticFlags statistics = 0, uint32_t count = 1)
    {
        return device().createQueries(type, statistics, count);
    }

    // Outside of an instance, with all queries reset.
    VkCommandBuffer begin(std::initializer_list<VkQueryPool> pools, uint32_t count = 1)
    {
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        for (const VkQueryPool pool : pools)
            vkCmdResetQueryPool(cmd, pool, 0, count);
        return cmd;
    }
    // Inside of one.
    void draw(VkCommandBuffer cmd, VkPipeline pipeline, const std::vector<Cell>& cells, uint32_t rows = kCells)
    {
        picture().bind(cmd, pipeline, picture().createSet(cells));
        device().cmdDraw(cmd, kCells, rows, 1);
    }
    void drawInstance(VkCommandBuffer cmd, VkPipeline pipeline, const std::vector<Cell>& cells, uint32_t rows = kCells)
    {
        picture().begin(cmd);
        draw(cmd, pipeline, cells, rows);
        vkCmdEndRendering(cmd);
    }
    VkPipeline createTaskPipeline()
    {
        return device().createPipeline({.mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task});
    }
    void run(VkCommandBuffer cmd) { device().device.submitAndWait(cmd); }
    Values results(VkQueryPool pool, uint32_t count = 1, uint32_t values = 1)
    {
        Values out(size_t{count} * values, kOld);
        MILLRACE_CHECK(vkGetQueryPoolResults(device().device.handle, pool, 0, count, out.size() * 8, out.data(),
                                             values * 8, kWhole));
        return out;
    }

    // Of 12 cells in a query, and of another one that is not there, into a buffer with something before.
    std::vector<uint32_t> copy(VkQueryResultFlags flags, VkDeviceSize stride, uint32_t count)
    {
        const VkPipeline pipeline = device().createPipeline();
        const VkQueryPool pool = createQueries(kPrimitives, 0, 2);
        const layertest::Buffer buffer = device().device.createBuffer(256, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
        std::memset(buffer.words, 0xab, 256);
        const VkCommandBuffer cmd = begin({pool}, 2);
        vkCmdBeginQuery(cmd, pool, 0, 0);
        drawInstance(cmd, pipeline, std::vector<Cell>(size_t{kCells} * kCells), 3);
        vkCmdEndQuery(cmd, pool, 0);
        layertest::TestDevice::barrier(cmd);
        vkCmdCopyQueryPoolResults(cmd, pool, 0, count, buffer.handle, 16, stride, flags);
        run(cmd);
        return {buffer.words, buffer.words + 24};
    }
    static constexpr uint32_t kCopied = 2 * kSquares * 3 * kCells;

private:
    std::optional<MeshDevice> m_device;
    std::optional<Picture> m_picture;
};

class MeshShaderQueries : public MeshQueriesOfLayer, public testing::WithParamInterface<Provider> {
protected:
    Provider provider() const override { return GetParam(); }
};

// One after the other in one instance; between draws nothing else is recorded.
TEST_P(MeshShaderQueries, PrimitivesInAnInstance_EachOfItsDraws)
{
    const std::vector<Cell> first = cellsOf(81), second = cellsOf(82);
    const VkPipeline pipeline = device().createPipeline();
    const VkQueryPool pool = createQueries(kPrimitives, 0, 3);
    const VkCommandBuffer cmd = begin({pool}, 3);
    picture().begin(cmd);
    draw(cmd, pipeline, first, 1);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    draw(cmd, pipeline, first);
    device().cmdDraw(cmd, kCells, 2, 1);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdBeginQuery(cmd, pool, 1, 0);
    draw(cmd, pipeline, second, 3);
    vkCmdEndQuery(cmd, pool, 1);
    vkCmdBeginQuery(cmd, pool, 2, 0);
    vkCmdEndQuery(cmd, pool, 2);
    draw(cmd, pipeline, second);
    vkCmdEndRendering(cmd);
    run(cmd);
    EXPECT_EQ(results(pool, 3), (Values{primitivesOf(first) + primitivesOf(first, 2), primitivesOf(second, 3), 0}));
}

// Around instances, two of them, with both kinds of queries at the same time.
TEST_P(MeshShaderQueries, AroundInstances_AllThatIsInThem)
{
    const std::vector<Cell> cells = cellsOf(83);
    const VkPipeline pipeline = device().createPipeline();
    const VkQueryPool primitives = createQueries(kPrimitives);
    const VkQueryPool meshes = device().hasStatistics() ? createQueries(kStatistics, kMeshes) : VK_NULL_HANDLE;
    const VkCommandBuffer cmd = begin({primitives});
    if (meshes)
        vkCmdResetQueryPool(cmd, meshes, 0, 1);
    vkCmdBeginQuery(cmd, primitives, 0, 0);
    drawInstance(cmd, pipeline, cells);
    if (meshes)
        vkCmdBeginQuery(cmd, meshes, 0, 0);
    drawInstance(cmd, pipeline, cells, 3);
    if (meshes)
        vkCmdEndQuery(cmd, meshes, 0);
    vkCmdEndQuery(cmd, primitives, 0);
    run(cmd);
    EXPECT_EQ(results(primitives), Values{primitivesOf(cells) + primitivesOf(cells, 3)});
    if (meshes)
        EXPECT_EQ(results(meshes), Values{3 * kCells * kMeshInvocations});
}

// Task shaders, beside what the driver counts, in the order of the bits.
TEST_P(MeshShaderQueries, StatisticsOfAllStages_InTheOrderOfTheBits)
{
    if (!device().hasStatistics())
        GTEST_SKIP() << "the driver lacks pipelineStatisticsQuery";
    const std::vector<Cell> cells = cellsOf(84);
    const VkQueryPool own = createQueries(kStatistics, kTasks | kMeshes);
    const VkQueryPool beside = createQueries(kStatistics, kFragments | kTasks | kMeshes);
    const VkPipeline pipeline = createTaskPipeline();
    const uint64_t meshes = groupsOf(cells) * kMeshInvocations, tasks = kCells * kTaskInvocations;
    const layertest::Buffer copied = device().device.createBuffer(64, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    for (const VkQueryPool pool : {own, beside}) {
        const VkCommandBuffer cmd = begin({pool});
        picture().begin(cmd);
        picture().bind(cmd, pipeline, picture().createSet(cells));
        vkCmdBeginQuery(cmd, pool, 0, 0);
        device().cmdDraw(cmd, kCells, 1, 1);
        vkCmdEndQuery(cmd, pool, 0);
        vkCmdEndRendering(cmd);
        layertest::TestDevice::barrier(cmd);
        vkCmdCopyQueryPoolResults(cmd, pool, 0, 1, copied.handle, 0, 64, kWhole);
        run(cmd);
    }
    EXPECT_EQ(results(own, 1, 2), (Values{tasks, meshes}));
    const Values all = results(beside, 1, 3);
    EXPECT_EQ(std::memcmp(copied.words, all.data(), 24), 0);
    EXPECT_GT(all[0], 0u);
    EXPECT_EQ(Values(all.begin() + 1, all.end()), (Values{tasks, meshes}));
}

// Each draw counts once, however often what had no memory runs again; and so does each execution.
TEST_F(MeshQueriesOfLayer, MoreThanTheArenaHas_CountsOnce)
{
    constexpr uint32_t kPoints = 192, kWidth = 512, kHeight = 256, kPeriod = 32;
    const VkPipeline pipeline =
        device().createPipeline({.mesh = shaders::scatter_mesh, .fragment = shaders::scatter_fragment});
    const layertest::Buffer counter = device().device.createBuffer(64);
    const layertest::Buffer grid = device().device.createBuffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    std::ranges::copy(std::array{kWidth, kHeight, 1u}, grid.words);
    const VkQueryPool pool = createQueries(kPrimitives);
    const VkCommandBuffer cmd = begin({pool});
    picture().begin(cmd);
    picture().bind(cmd, pipeline, device().device.createSet(counter, device().setLayout));
    const uint32_t push[] = {kPeriod, kPoints};
    vkCmdPushConstants(cmd, device().layout, kMeshStages, 0, sizeof push, push);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    device().cmdDrawIndirect(cmd, grid.handle, 0, 1, 0);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdEndRendering(cmd);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    for (uint32_t execution = 0; execution < 2; ++execution) {
        device().device.submit(cmd);
        MILLRACE_CHECK(vkQueueWaitIdle(device().device.queue));
        EXPECT_EQ(results(pool), Values{uint64_t{kWidth} * kHeight / kPeriod * 2 * kPoints}) << execution;
    }
}

TEST_P(MeshShaderQueries, InsideARenderPassObject_AsElsewhere)
{
    const std::vector<Cell> cells = cellsOf(85);
    const VkRenderPass pass = device().device.createRenderPass();
    const VkPipeline pipeline = device().createPipeline({.renderPass = pass});
    const VkQueryPool pool = createQueries(kPrimitives);
    const VkCommandBuffer cmd = begin({pool});
    picture().beginPass(cmd, pass);
    Picture::setState(cmd);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    draw(cmd, pipeline, cells);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdEndRenderPass(cmd);
    run(cmd);
    EXPECT_EQ(results(pool), Values{primitivesOf(cells)});
}

// Two that continue an instance, around each of which a query is, and in one of which another one is; and one with an
// instance of its own.
TEST_P(MeshShaderQueries, SecondaryCommandBuffers_CountWhereTheyAreExecuted)
{
    if (!device().hasInheritedQueries())
        GTEST_SKIP() << "the device lacks inheritedQueries";
    const std::vector<Cell> first = cellsOf(86), second = cellsOf(87);
    const VkPipeline pipeline = device().createPipeline();
    const VkQueryPool around = createQueries(kPrimitives, 0, 3), inside = createQueries(kStatistics, kMeshes);
    const VkCommandBuffer counted = picture().beginSecondary();
    draw(counted, pipeline, first);
    MILLRACE_CHECK(vkEndCommandBuffer(counted));
    const VkCommandBuffer counts = picture().beginSecondary();
    draw(counts, pipeline, second, 2);
    vkCmdBeginQuery(counts, inside, 0, 0);
    draw(counts, pipeline, second, 3);
    vkCmdEndQuery(counts, inside, 0);
    MILLRACE_CHECK(vkEndCommandBuffer(counts));
    const VkCommandBuffer loose = picture().beginLooseSecondary();
    drawInstance(loose, pipeline, first, 4);
    MILLRACE_CHECK(vkEndCommandBuffer(loose));
    const VkCommandBuffer cmd = begin({around}, 3);
    vkCmdResetQueryPool(cmd, inside, 0, 1);
    const VkRenderingInfo info = picture().rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdBeginQuery(cmd, around, 0, 0);
    vkCmdBeginRendering(cmd, &info);
    vkCmdExecuteCommands(cmd, 1, &counted);
    vkCmdEndRendering(cmd);
    vkCmdEndQuery(cmd, around, 0);
    vkCmdBeginQuery(cmd, around, 1, 0);
    vkCmdBeginRendering(cmd, &info);
    vkCmdExecuteCommands(cmd, 1, &counts);
    vkCmdEndRendering(cmd);
    vkCmdEndQuery(cmd, around, 1);
    vkCmdBeginQuery(cmd, around, 2, 0);
    vkCmdExecuteCommands(cmd, 1, &loose);
    vkCmdEndQuery(cmd, around, 2);
    run(cmd);
    EXPECT_EQ(results(around, 3),
              (Values{primitivesOf(first), primitivesOf(second, 2) + primitivesOf(second, 3), primitivesOf(first, 4)}));
    EXPECT_EQ(results(inside), Values{3 * kCells * kMeshInvocations});
}

TEST_P(MeshShaderQueries, ConditionThatDoesNotHold_CountsNothing)
{
    if (!driverHas(Beside::Conditions))
        GTEST_SKIP() << "the driver lacks VK_EXT_conditional_rendering";
    start(Beside::Conditions);
    const std::vector<Cell> cells = cellsOf(89);
    const layertest::Buffer condition = device().device.createBuffer(64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
    condition.words[1] = 1;
    const VkPipeline pipeline = device().createPipeline();
    const VkQueryPool pool = createQueries(kPrimitives, 0, 2);
    const auto beginCondition =
        device().device.get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT");
    const auto endCondition =
        device().device.get<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
    const VkCommandBuffer cmd = begin({pool}, 2);
    picture().begin(cmd);
    for (uint32_t i = 0; i < 2; ++i) {
        VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
        info.buffer = condition.handle;
        info.offset = i * 4;
        vkCmdBeginQuery(cmd, pool, i, 0);
        beginCondition(cmd, &info);
        draw(cmd, pipeline, cells);
        endCondition(cmd);
        vkCmdEndQuery(cmd, pool, i);
    }
    vkCmdEndRendering(cmd);
    run(cmd);
    EXPECT_EQ(results(pool, 2), (Values{0, primitivesOf(cells)}));
}

// On the host and on the device what was counted before is gone.
TEST_P(MeshShaderQueries, Reset_CountsFromZero)
{
    const std::vector<Cell> cells = cellsOf(90);
    const VkPipeline pipeline = device().createPipeline();
    const VkQueryPool pool = createQueries(kPrimitives, 0, 2);
    for (uint32_t round = 0; round < 3; ++round) {
        const VkCommandBuffer cmd = round == 2 ? begin({pool}, 2) : begin({});
        if (round < 2)
            vkResetQueryPool(device().device.handle, pool, 0, 2);
        for (uint32_t i = 0; i < 2; ++i) {
            vkCmdBeginQuery(cmd, pool, i, 0);
            drawInstance(cmd, pipeline, cells, 1 + i);
            vkCmdEndQuery(cmd, pool, i);
        }
        run(cmd);
        EXPECT_EQ(results(pool, 2), (Values{primitivesOf(cells, 1), primitivesOf(cells, 2)})) << round;
    }
    vkResetQueryPool(device().device.handle, pool, 1, 1);
    Values values(4, kOld);
    EXPECT_EQ(vkGetQueryPoolResults(device().device.handle, pool, 0, 2, 32, values.data(), 16,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
              VK_NOT_READY);
    EXPECT_EQ(values[0], primitivesOf(cells, 1));
    EXPECT_NE(values[1], 0u);
    EXPECT_EQ(values[2], kOld);
    EXPECT_EQ(values[3], 0u);
}

constexpr uint32_t kOldWord = 0xabababab;

TEST_P(MeshShaderQueries, CopyOf32Bits_GapsStay)
{
    std::vector<uint32_t> wanted(24, kOldWord);
    wanted[4] = kCopied;
    EXPECT_EQ(copy(VK_QUERY_RESULT_WAIT_BIT, 12, 1), wanted);
}

// Drivers may write something all the same: lavapipe does.
TEST_F(MeshQueriesOfLayer, CopyWithAvailability_WhatIsNotThereStays)
{
    const std::vector<uint32_t> words = copy(VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT, 24, 2);
    std::vector<uint32_t> wanted(24, kOldWord);
    wanted[4] = kCopied;
    wanted[5] = wanted[7] = wanted[12] = wanted[13] = 0;
    ASSERT_NE(words[6], 0u);
    wanted[6] = words[6];
    EXPECT_EQ(words, wanted);
}

INSTANTIATE_TEST_SUITE_P(By, MeshShaderQueries, testing::Values(Provider::Driver, Provider::Layer),
                         [](const auto& info) { return info.param == Provider::Driver ? "Driver" : "Layer"; });
}  // namespace

}  // namespace millrace::meshtest
