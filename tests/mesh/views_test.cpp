// SPDX-License-Identifier: Apache-2.0
// Several views of one render pass instance: mesh shaders that read ViewIndex run for each, others once, and each layer
// of the target is what the host paints for its view.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "harness/temporary_folder.h"
#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"
#include "trace/collect.h"
#include "trace/file.h"

namespace millrace::meshtest {

namespace {

constexpr uint32_t kTwoViews = 3;
constexpr uint32_t kSomeViews = 0b100101;  // some are left out, also the last one but one that every device has

class MeshViews : public testing::Test {
protected:
    explicit MeshViews(Beside beside = Beside::Nothing) : m_beside(beside) {}

    void SetUp() override
    {
        if (!driverHas(m_beside))
            GTEST_SKIP() << "the driver lacks what is beside";
        start();
    }
    void TearDown() override { stop(); }

    void start(const std::string& trace = {}, Provider provider = Provider::Layer)
    {
        stop();
        m_device.emplace(provider, m_beside, trace);
    }
    void stop()
    {
        m_picture.reset();
        m_device.reset();
    }
    MeshDevice& device() { return *m_device; }
    // The last one that was created.
    Picture& picture() { return *m_picture; }
    Picture& createPicture(uint32_t viewMask) { return m_picture.emplace(*m_device, viewMask); }

    VkCommandBuffer begin()
    {
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        picture().begin(cmd);
        return cmd;
    }
    void finish(VkCommandBuffer cmd)
    {
        picture().copy(cmd);
        device().device.submitAndWait(cmd);
    }
    void end(VkCommandBuffer cmd)
    {
        vkCmdEndRendering(cmd);
        finish(cmd);
    }
    // All cells in one draw of dynamic rendering.
    void drawAll(const PipelineOptions& options, const std::vector<Cell>& cells)
    {
        createPicture(options.viewMask);
        const VkPipeline pipeline = device().createPipeline(options);
        const VkCommandBuffer cmd = begin();
        picture().bind(cmd, pipeline, picture().createSet(cells));
        device().cmdDraw(cmd, kCells, options.task.empty() ? kCells : 1, 1);
        end(cmd);
    }
    static Pixels painted(const std::vector<Cell>& cells, uint32_t rows = kCells)
    {
        Pixels pixels(size_t{kSize} * kSize, kClear);
        paint(pixels, cells, kCells, rows);
        return pixels;
    }
    void expectViews(const std::vector<Cell>& cells, uint32_t viewMask, uint32_t rows = kCells)
    {
        for (uint32_t view = 0; viewMask >> view != 0; ++view)
            if (viewMask >> view & 1)
                EXPECT_EQ(picture().pixels(view), painted(cellsOfView(cells, view), rows)) << "view " << view;
    }

private:
    const Beside m_beside;
    std::optional<MeshDevice> m_device;
    std::optional<Picture> m_picture;
};

TEST_F(MeshViews, MeshShader_DrawsEachViewItsOwn)
{
    const std::vector<Cell> cells = randomCells(80);
    for (const uint32_t viewMask : {kTwoViews, kSomeViews, 4u}) {
        drawAll({.mesh = shaders::cells_views_mesh, .viewMask = viewMask}, cells);
        expectViews(cells, viewMask);
    }
}

TEST_F(MeshViews, NoViews_ViewIndexIsZero)
{
    const std::vector<Cell> cells = randomCells(81);
    drawAll({.mesh = shaders::cells_views_mesh}, cells);
    EXPECT_EQ(picture().pixels(), painted(cells));
}

class MeshViewsUnderConditions : public MeshViews {
protected:
    MeshViewsUnderConditions() : MeshViews(Beside::Conditions) {}

    // The draw's instance loads: lavapipe does not clear several views under a condition that does not hold.
    void drawIf(bool holds, const std::vector<Cell>& cells)
    {
        createPicture(kTwoViews);
        const auto beginIf =
            device().device.get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT");
        const auto endIf = device().device.get<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
        const layertest::Buffer conditions =
            device().device.createBuffer(64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
        conditions.words[0] = holds ? 1 : 0;
        VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
        info.buffer = conditions.handle;
        const VkPipeline pipeline = device().createPipeline({.mesh = shaders::cells_views_mesh, .viewMask = kTwoViews});
        const VkCommandBuffer cmd = begin();
        vkCmdEndRendering(cmd);
        beginIf(cmd, &info);
        picture().begin(cmd, 0, VK_ATTACHMENT_LOAD_OP_LOAD);
        picture().bind(cmd, pipeline, picture().createSet(cells));
        device().cmdDraw(cmd, kCells, kCells, 1);
        vkCmdEndRendering(cmd);
        endIf(cmd);
        finish(cmd);
    }
};

TEST_F(MeshViewsUnderConditions, AroundTheInstance_DrawsWhereItHolds)
{
    const std::vector<Cell> cells = randomCells(90);
    drawIf(true, cells);
    expectViews(cells, kTwoViews);
    drawIf(false, cells);
    for (uint32_t view = 0; view < 2; ++view)
        EXPECT_EQ(picture().pixels(view), Pixels(size_t{kSize} * kSize, kClear)) << "view " << view;
}

TEST_F(MeshViews, TaskShader_EmitsForAllViews)
{
    const std::vector<Cell> cells = randomCells(82);
    drawAll({.mesh = shaders::cells_views_tasks_mesh, .viewMask = kSomeViews, .task = shaders::cells_task}, cells);
    expectViews(cells, kSomeViews);
}

// Only the fragment shader says which view it is.
TEST_F(MeshViews, FragmentShaderAlone_MeshShaderDrawsAllViewsAlike)
{
    const std::vector<Cell> cells = randomCells(83);
    drawAll({.fragment = shaders::cells_views_fragment, .viewMask = kSomeViews}, cells);
    for (const uint32_t view : {0u, 2u, 5u}) {
        std::vector<Cell> seen = cells;
        for (Cell& cell : seen)
            for (uint32_t& color : cell.colors)
                color += view << 12;
        EXPECT_EQ(picture().pixels(view), painted(seen)) << "view " << view;
    }
}

// The runs of a workgroup give out different numbers of primitives, here by what the run before has left. Each view has
// what its own run gave out.
TEST_F(MeshViews, RunsThatGiveOutDifferentCounts_EachViewHasItsOwn)
{
    std::vector<Cell> cells = randomCells(84);
    std::vector<Cell> all = cells;
    all.resize(3 * cells.size(), Cell{0, {}});
    createPicture(kTwoViews);
    const VkPipeline pipeline =
        device().createPipeline({.mesh = shaders::cells_views_runs_mesh, .viewMask = kTwoViews});
    const VkCommandBuffer cmd = begin();
    picture().bind(cmd, pipeline, picture().createSet(all));
    device().cmdDraw(cmd, kCells, kCells, 1);
    end(cmd);
    std::array<std::array<Pixels, 2>, 2> wanted;  // of a view, of a run
    for (uint32_t run = 0; run < 2; ++run)
        for (uint32_t view = 0; view < 2; ++view) {
            for (Cell& cell : cells)
                cell.count = 3 * run + 1;
            wanted[view][run] = painted(cellsOfView(cells, view));
        }
    const auto isRun = [&](uint32_t view, uint32_t run, uint32_t x, uint32_t y) {
        const Pixels pixels = picture().pixels(view);
        for (uint32_t row = y * 8; row < y * 8 + 8; ++row)
            for (uint32_t i = row * kSize + x * 8; i < row * kSize + x * 8 + 8; ++i)
                if (pixels[i] != wanted[view][run][i])
                    return false;
        return true;
    };
    for (uint32_t y = 0; y < kCells; ++y)
        for (uint32_t x = 0; x < kCells; ++x) {
            const uint32_t next = (x + 1) % kCells;
            EXPECT_TRUE((isRun(0, 0, x, y) && isRun(1, 1, next, y)) || (isRun(0, 1, x, y) && isRun(1, 0, next, y)))
                << x << " " << y;
        }
}

TEST_F(MeshViews, IndirectDraws_EachWithItsNumber)
{
    const std::vector<Cell> cells = randomCells(85);
    const VkPipeline pipeline =
        device().createPipeline({.mesh = shaders::cells_views_draws_mesh, .viewMask = kSomeViews});
    for (const bool isCounted : {false, true}) {
        createPicture(kSomeViews);
        const layertest::Buffer grids = device().device.createBuffer(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        const layertest::Buffer count = device().device.createBuffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        for (uint32_t row = 0; row < kCells; ++row) {
            const VkDrawMeshTasksIndirectCommandEXT grid{kCells, 1, 1};
            std::memcpy(grids.words + size_t{row} * 4, &grid, sizeof grid);
        }
        count.words[0] = 5;
        const VkCommandBuffer cmd = begin();
        picture().bind(cmd, pipeline, picture().createSet(cells));
        if (isCounted)
            device().cmdDrawIndirectCount(cmd, grids.handle, 0, count.handle, 0, kCells, 16);
        else
            device().cmdDrawIndirect(cmd, grids.handle, 0, kCells, 16);
        end(cmd);
        expectViews(cells, kSomeViews, isCounted ? 5 : kCells);
    }
}

// Of a secondary command buffer that continues the instance.
TEST_F(MeshViews, SecondaryCommandBuffer_DrawsEachViewItsOwn)
{
    const std::vector<Cell> cells = randomCells(86);
    createPicture(kTwoViews);
    const VkPipeline pipeline = device().createPipeline({.mesh = shaders::cells_views_mesh, .viewMask = kTwoViews});
    const VkCommandBuffer secondary = picture().beginSecondary();
    picture().bind(secondary, pipeline, picture().createSet(cells));
    device().cmdDraw(secondary, kCells, kCells, 1);
    MILLRACE_CHECK(vkEndCommandBuffer(secondary));
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    const VkRenderingInfo rendering = picture().rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdBeginRendering(cmd, &rendering);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    end(cmd);
    expectViews(cells, kTwoViews);
}

// The views of a subpass are those of the render pass object.
TEST_F(MeshViews, SubpassesOfARenderPass_EachHasItsViews)
{
    const std::vector<Cell> first = randomCells(87), second = randomCells(88);
    constexpr uint32_t kMasks[] = {0b011, 0b110};
    constexpr VkPipelineStageFlags kTarget = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkSubpassDependency dependency{
        0, 1, kTarget, kTarget, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
    createPicture(7);
    const VkRenderPass pass = device().device.createRenderPass({&dependency, 1}, 2, VK_IMAGE_LAYOUT_UNDEFINED, kMasks);
    const VkDescriptorSet sets[] = {picture().createSet(first), picture().createSet(second)};
    VkPipeline pipelines[2] = {};
    for (uint32_t subpass = 0; subpass < 2; ++subpass)
        pipelines[subpass] =
            device().createPipeline({.mesh = shaders::cells_views_mesh, .renderPass = pass, .subpass = subpass});
    const VkCommandBuffer cmd = device().device.begin();
    picture().beginPass(cmd, pass);
    for (uint32_t subpass = 0; subpass < 2; ++subpass) {
        if (subpass == 1)
            vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
        Picture::setState(cmd);
        picture().bind(cmd, pipelines[subpass], sets[subpass]);
        device().cmdDraw(cmd, kCells, subpass == 0 ? kCells : 4, 1);
    }
    vkCmdEndRenderPass(cmd);
    finish(cmd);
    for (uint32_t view = 0; view < 3; ++view) {
        Pixels wanted(size_t{kSize} * kSize, kClear);
        if (kMasks[0] >> view & 1)
            paint(wanted, cellsOfView(first, view), kCells, kCells);
        if (kMasks[1] >> view & 1)
            paint(wanted, cellsOfView(second, view), kCells, 4);
        EXPECT_EQ(picture().pixels(view), wanted) << "view " << view;
    }
}

// vkCmdNextSubpass leaves no state behind it where there are several views, and neither does what the layer begins
// where it divides the instance.
TEST_F(MeshViews, SubpassThatWaitsForMeshShaders_DividedWithItsState)
{
    std::vector<Cell> cells(size_t{kCells} * kCells);
    for (Cell& cell : cells)
        cell.colors.fill(0x3311);
    const std::vector<Cell> written = randomCells(89);
    std::vector<Cell> all = cells;
    all.insert(all.end(), written.begin(), written.end());
    all.resize(3 * cells.size(), Cell{0, {}});
    constexpr uint32_t kMasks[] = {kTwoViews, kTwoViews};
    constexpr VkPipelineStageFlags kTarget = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkSubpassDependency dependencies[] = {
        {0, 1, VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT, VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT, VK_ACCESS_SHADER_WRITE_BIT,
         VK_ACCESS_SHADER_READ_BIT},
        {0, 1, kTarget, kTarget, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT}};
    createPicture(kTwoViews);
    const VkRenderPass pass = device().device.createRenderPass(dependencies, 2, VK_IMAGE_LAYOUT_UNDEFINED, kMasks);
    const VkPipeline writer = device().createPipeline({.mesh = shaders::cells_views_writes_mesh, .renderPass = pass});
    const VkPipeline reader =
        device().createPipeline({.mesh = shaders::cells_views_mesh, .renderPass = pass, .subpass = 1});
    const VkDescriptorSet set = picture().createSet(all);
    const VkCommandBuffer cmd = device().device.begin();
    picture().beginPass(cmd, pass);
    Picture::setState(cmd);
    picture().bind(cmd, writer, set);
    device().cmdDraw(cmd, kCells, kCells, 1);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    Picture::setState(cmd);
    picture().bind(cmd, reader, set, 2 * kCells * kCells);
    device().cmdDraw(cmd, kCells, kCells, 1);
    vkCmdEndRenderPass(cmd);
    finish(cmd);
    for (uint32_t view = 0; view < 2; ++view) {
        Pixels wanted = painted(cellsOfView(cells, view));
        paint(wanted, cellsOfView(written, view), kCells, kCells);
        EXPECT_EQ(picture().pixels(view), wanted) << "view " << view;
    }
}

class MeshViewsOfLibraries : public MeshViews {
protected:
    MeshViewsOfLibraries() : MeshViews(Beside::Libraries) {}
};

// The render pass of a linked pipeline is one of the layer's.
TEST_F(MeshViewsOfLibraries, LinkedPipeline_DrawsEachViewItsOwn)
{
    const std::vector<Cell> cells = randomCells(90);
    drawAll({.mesh = shaders::cells_views_mesh, .viewMask = kTwoViews, .linking = Linking::Libraries}, cells);
    expectViews(cells, kTwoViews);
    createPicture(kTwoViews);
    const uint32_t viewMask = kTwoViews;
    const VkRenderPass pass = device().device.createRenderPass({}, 1, VK_IMAGE_LAYOUT_UNDEFINED, {&viewMask, 1});
    const VkPipeline pipeline =
        device().createPipeline({.mesh = shaders::cells_views_mesh, .renderPass = pass, .linking = Linking::Libraries});
    const VkCommandBuffer cmd = device().device.begin();
    picture().beginPass(cmd, pass);
    Picture::setState(cmd);
    picture().bind(cmd, pipeline, picture().createSet(cells));
    device().cmdDraw(cmd, kCells, kCells, 1);
    vkCmdEndRenderPass(cmd);
    finish(cmd);
    expectViews(cells, kTwoViews);
}

// What a trace counts of mesh shaders is what has run.
TEST_F(MeshViews, InATrace_WorkgroupsCountForEachViewThatTheyRunFor)
{
    const std::vector<Cell> cells = randomCells(91);
    const TemporaryFolder folder;
    const std::string path = folder.file("a.mrtrace");
    start(path);
    drawAll({.mesh = shaders::cells_views_mesh, .viewMask = kSomeViews}, cells);
    drawAll({.fragment = shaders::cells_views_fragment, .viewMask = kSomeViews}, cells);
    stop();
    trace::Collector trace;
    const Status status = trace::read(trace::readBytes(path), trace);
    ASSERT_TRUE(status) << status.error().text();
    ASSERT_EQ(trace.meshWorks.size(), 2u);
    EXPECT_EQ(trace.meshWorks[0].groups, 3u * kCells * kCells);
    EXPECT_EQ(trace.meshWorks[1].groups, kCells * kCells);
    EXPECT_EQ(trace.meshWorks[0].primitives, 3 * trace.meshWorks[1].primitives);
}

// More than the arena of a command buffer has at first: only the runs for some views have room.
TEST_F(MeshViews, ViewsBeyondTheArena_DrawnWhole)
{
    const std::vector<Cell> cells = randomCells(92);
    std::vector<Cell> many;
    constexpr uint32_t kTimes = 256;
    for (uint32_t i = 0; i < kTimes; ++i)
        many.insert(many.end(), cells.begin(), cells.end());
    createPicture(kSomeViews);
    const VkPipeline pipeline = device().createPipeline({.mesh = shaders::cells_views_mesh, .viewMask = kSomeViews});
    const layertest::Buffer grids = device().device.createBuffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    // All but the first rows are below the picture.
    const VkDrawMeshTasksIndirectCommandEXT grid{kCells, kCells * kTimes, 1};
    std::memcpy(grids.words, &grid, sizeof grid);
    const VkCommandBuffer cmd = begin();
    picture().bind(cmd, pipeline, picture().createSet(many));
    device().cmdDrawIndirect(cmd, grids.handle, 0, 1, 0);
    end(cmd);
    expectViews(cells, kSomeViews);
}

}  // namespace

}  // namespace millrace::meshtest
