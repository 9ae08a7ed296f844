// SPDX-License-Identifier: Apache-2.0
// What a trace says of mesh shaders, by the layer and by the driver if it can: what the host counts of the cells.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "harness/temporary_folder.h"
#include "mesh/counts.h"
#include "shaders/mesh_test_shaders.h"
#include "trace/collect.h"
#include "trace/file.h"

namespace millrace::meshtest {

namespace {

// Some of which are culled whole.
std::vector<Cell> countedCells(uint32_t seed)
{
    std::vector<Cell> cells = randomCells(seed);
    for (size_t i = 0; i < cells.size(); i += 7)
        for (uint32_t& color : cells[i].colors)
            color |= 1u << 24;
    return cells;
}

class MeshCounts : public testing::TestWithParam<Provider> {
protected:
    void SetUp() override
    {
        if (GetParam() == Provider::Driver && !driverHasMeshShaders())
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        start();
    }
    void TearDown() override { stop(); }

    void start(Beside beside = Beside::Nothing)
    {
        stop();
        m_device.emplace(GetParam(), beside, m_path);
        m_picture.emplace(*m_device);
    }
    void stop()
    {
        m_picture.reset();
        m_device.reset();
    }
    MeshDevice& device() { return *m_device; }
    Picture& picture() { return *m_picture; }

    // Rows of cells, or of workgroups of the task shader.
    void draw(VkPipeline pipeline, VkDescriptorSet set, uint32_t width, uint32_t height)
    {
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        picture().begin(cmd);
        picture().bind(cmd, pipeline, set);
        device().cmdDraw(cmd, width, height, 1);
        vkCmdEndRendering(cmd);
        picture().copy(cmd);
        device().device.submitAndWait(cmd);
    }
    // What the trace has when the device is gone.
    trace::Collector read()
    {
        stop();
        trace::Collector out;
        const Status status = trace::read(trace::readBytes(m_path), out);
        EXPECT_TRUE(status) << status.error().text();
        return out;
    }

private:
    const TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("a.mrtrace");
    std::optional<MeshDevice> m_device;
    std::optional<Picture> m_picture;
};

TEST_P(MeshCounts, Cells_AsTheHostCountsThem)
{
    const std::vector<Cell> cells = countedCells(61);
    const VkPipeline pipeline = device().createPipeline();
    draw(pipeline, picture().createSet(cells), kCells, kCells);
    Pixels pixels(size_t{kSize} * kSize, kClear);
    paint(pixels, cells, kCells, kCells);
    EXPECT_EQ(picture().pixels(), pixels);
    const trace::Collector trace = read();
    ASSERT_EQ(trace.devices.size(), 1u);
    ASSERT_EQ(trace.meshPipelines.size(), 1u);
    const trace::MeshPipeline& found = trace.meshPipelines.begin()->second;
    EXPECT_FALSE(found.hasTask);
    EXPECT_TRUE(found.hasMesh);
    EXPECT_EQ(found.corners, 3u);
    EXPECT_EQ(found.maxVertices, 4 * kSquares);
    EXPECT_EQ(found.maxPrimitives, 2 * kSquares);
    ASSERT_EQ(trace.meshWorks.size(), 1u);
    const trace::MeshWork wanted = countsOf(cells);
    EXPECT_GT(wanted.culledGroups, 0u);
    expectCounts(trace.meshWorks[0], wanted);
}

// What the driver's mesh shaders do has no time of its own.
TEST_P(MeshCounts, InFrontOfInstances_HasTimes)
{
    const VkPipeline pipeline = device().createPipeline();
    const VkDescriptorSet set = picture().createSet(countedCells(65));
    const size_t timed = GetParam() == Provider::Layer && device().device.hasClock() ? 2 : 0;
    draw(pipeline, set, kCells, kCells);
    draw(pipeline, set, kCells, 1);
    const trace::Collector trace = read();
    ASSERT_EQ(trace.meshFronts.size(), timed);
    for (const trace::MeshFront& front : trace.meshFronts) {
        EXPECT_EQ(front.draws, 1u);
        EXPECT_LE(front.time.begin, front.time.end);
        EXPECT_TRUE(front.name.starts_with("render pass instance 1 of the command buffer")) << front.name;
    }
    if (timed > 0)
        EXPECT_LE(trace.meshFronts[0].time.end, trace.meshFronts[1].time.begin);
}

TEST_P(MeshCounts, SeveralSubmissions_EachSaysWhatItAdds)
{
    const std::vector<Cell> first = countedCells(62), second = countedCells(63);
    const VkPipeline pipelines[] = {device().createPipeline(), device().createPipeline()};
    const VkDescriptorSet set = picture().createSet(first);
    draw(pipelines[0], set, kCells, kCells);
    draw(pipelines[1], set, kCells, 1);
    draw(pipelines[0], picture().createSet(second), kCells, kCells);
    const trace::Collector trace = read();
    EXPECT_EQ(trace.meshPipelines.size(), 2u);
    ASSERT_EQ(trace.meshWorks.size(), 3u);
    EXPECT_EQ(trace.meshWorks[0].pipeline, trace.meshWorks[2].pipeline);
    EXPECT_NE(trace.meshWorks[0].pipeline, trace.meshWorks[1].pipeline);
    expectCounts(trace.meshWorks[0], countsOf(first));
    expectCounts(trace.meshWorks[1], countsOf({first.begin(), first.begin() + kCells}));
    trace::MeshWork last = countsOf(second);
    last.mostVertices = std::max(last.mostVertices, trace.meshWorks[0].mostVertices);
    last.mostPrimitives = std::max(last.mostPrimitives, trace.meshWorks[0].mostPrimitives);
    expectCounts(trace.meshWorks[2], last);
}

TEST_P(MeshCounts, TaskShaders_CountWhatTheyEmit)
{
    std::vector<Cell> cells = countedCells(64);
    for (uint32_t i = 0; i < kCells; ++i)
        cells[3 * kCells + i].count = 0;
    const PipelineOptions options{.mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task};
    draw(device().createPipeline(options), picture().createSet(cells), kCells, 1);
    const trace::Collector trace = read();
    ASSERT_EQ(trace.meshPipelines.size(), 1u);
    EXPECT_TRUE(trace.meshPipelines.begin()->second.hasTask);
    ASSERT_EQ(trace.meshWorks.size(), 1u);
    const trace::MeshWork& found = trace.meshWorks[0];
    trace::MeshWork wanted;
    for (uint32_t row = 0; row < kCells; ++row) {
        const auto begin = cells.begin() + row * kCells;
        const auto full = static_cast<uint32_t>(
            std::count_if(begin, begin + kCells, [](const Cell& cell) { return cell.count > 0; }));
        const uint32_t emitted = (full + 1) / 2 * 2;
        ++wanted.taskGroups;
        wanted.emptyTaskGroups += emitted == 0;
        wanted.emittedGroups += emitted;
        wanted.mostEmitted = std::max(wanted.mostEmitted, emitted);
    }
    EXPECT_EQ(wanted.emptyTaskGroups, 1u);
    EXPECT_EQ(found.taskGroups, wanted.taskGroups);
    EXPECT_EQ(found.emptyTaskGroups, wanted.emptyTaskGroups);
    EXPECT_EQ(found.emittedGroups, wanted.emittedGroups);
    EXPECT_EQ(found.mostEmitted, wanted.mostEmitted);
    EXPECT_EQ(found.groups, wanted.emittedGroups);
    EXPECT_EQ(found.primitives, countsOf(cells).primitives);
    EXPECT_EQ(found.culledPrimitives, countsOf(cells).culledPrimitives);
}

TEST_P(MeshCounts, SecondaryCommandBuffers_CountAsWell)
{
    const std::vector<Cell> cells = countedCells(65);
    const VkPipeline pipeline = device().createPipeline();
    const VkCommandBuffer secondary = picture().beginSecondary();
    picture().bind(secondary, pipeline, picture().createSet(cells));
    device().cmdDraw(secondary, kCells, kCells, 1);
    MILLRACE_CHECK(vkEndCommandBuffer(secondary));
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    const VkRenderingInfo info = picture().rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdBeginRendering(cmd, &info);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRendering(cmd);
    device().device.submitAndWait(cmd);
    const trace::Collector trace = read();
    ASSERT_EQ(trace.meshWorks.size(), 1u);
    expectCounts(trace.meshWorks[0], countsOf(cells));
}

// Specialization constants have the application's values, and the shader's points have one corner.
TEST_P(MeshCounts, PointsAndConstants)
{
    const std::vector<Cell> cells = countedCells(66);
    const uint32_t green = 9;
    const VkSpecializationMapEntry entry{3, 0, sizeof green};
    const VkSpecializationInfo constants{1, &entry, sizeof green, &green};
    draw(device().createPipeline({.constants = &constants}), picture().createSet(cells), kCells, kCells);
    Pixels pixels(size_t{kSize} * kSize, kClear);
    paint(pixels, cells, kCells, kCells, green);
    EXPECT_EQ(picture().pixels(), pixels);
    draw(device().createPipeline({.mesh = shaders::cells_points_mesh}), picture().createSet(cells), kCells, kCells);
    const trace::Collector trace = read();
    ASSERT_EQ(trace.meshWorks.size(), 2u);
    EXPECT_EQ(trace.meshPipelines.at(trace.meshWorks[1].pipeline).corners, 1u);
    EXPECT_EQ(trace.meshWorks[1].vertices, trace.meshWorks[1].primitives);
    EXPECT_EQ(trace.meshWorks[1].culledPrimitives, countsOf(cells).culledPrimitives / 2);
}

TEST_P(MeshCounts, Libraries_CountOncePerPipeline)
{
    if (!driverHas(Beside::Libraries))
        GTEST_SKIP() << "the driver lacks VK_EXT_graphics_pipeline_library";
    start(Beside::Libraries);
    const std::vector<Cell> cells = countedCells(67);
    const PipelineOptions options{
        .mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task, .linking = Linking::Libraries};
    draw(device().createPipeline(options), picture().createSet(cells), kCells, 1);
    const trace::Collector trace = read();
    EXPECT_EQ(trace.meshPipelines.size(), 1u);
    ASSERT_EQ(trace.meshWorks.size(), 1u);
    EXPECT_EQ(trace.meshWorks[0].taskGroups, kCells);
    EXPECT_EQ(trace.meshWorks[0].primitives, countsOf(cells).primitives);
}

INSTANTIATE_TEST_SUITE_P(By, MeshCounts, testing::Values(Provider::Layer, Provider::Driver),
                         [](const testing::TestParamInfo<Provider>& info) {
                             return info.param == Provider::Layer ? "Layer" : "Driver";
                         });

}  // namespace

}  // namespace millrace::meshtest
