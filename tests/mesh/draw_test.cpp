// SPDX-License-Identifier: Apache-2.0
// Pictures that mesh shaders draw, by the layer and by the driver if it can: equal to what the host paints.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

class MeshDraws : public testing::TestWithParam<Provider> {
protected:
    void SetUp() override
    {
        if (GetParam() == Provider::Driver && !driverHasMeshShaders())
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        m_device.emplace(GetParam());
        m_picture.emplace(*m_device);
    }
    void TearDown() override
    {
        m_picture.reset();
        m_device.reset();
    }

    MeshDevice& device() { return *m_device; }
    Picture& picture() { return *m_picture; }

    // All cells in one draw of one instance.
    Pixels drawAll(VkPipeline pipeline, VkDescriptorSet set)
    {
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        picture().begin(cmd);
        picture().bind(cmd, pipeline, set);
        device().cmdDraw(cmd, kCells, kCells, 1);
        vkCmdEndRendering(cmd);
        return finish(cmd);
    }
    Pixels finish(VkCommandBuffer cmd)
    {
        picture().copy(cmd);
        device().device.submitAndWait(cmd);
        return picture().pixels();
    }
    static Pixels expected(const std::vector<Cell>& cells, uint32_t green = 0)
    {
        Pixels pixels(size_t{kSize} * kSize, kClear);
        paint(pixels, cells, kCells, kCells, green);
        return pixels;
    }

private:
    std::optional<MeshDevice> m_device;
    std::optional<Picture> m_picture;
};

TEST_P(MeshDraws, Cells_AsTheHostPaintsThem)
{
    const std::vector<Cell> cells = randomCells(1);
    EXPECT_EQ(drawAll(device().createPipeline(), picture().createSet(cells)), expected(cells));
}

TEST_P(MeshDraws, Points_AsTheHostPaintsThem)
{
    const std::vector<Cell> cells = randomCells(2);
    const PipelineOptions options{.mesh = shaders::cells_points_mesh};
    Pixels pixels = drawAll(device().createPipeline(options), picture().createSet(cells));
    // The place is that of the point, not of its pixels.
    const auto forgetPlace = [](Pixels& all) {
        for (uint32_t& pixel : all)
            pixel &= 0xff00ffff;
    };
    Pixels wanted = expected(cells);
    forgetPlace(pixels);
    forgetPlace(wanted);
    EXPECT_EQ(pixels, wanted);
}

TEST_P(MeshDraws, Lines_AsTheHostPaintsThem)
{
    const std::vector<Cell> cells = randomCells(3);
    const PipelineOptions options{.mesh = shaders::cells_lines_mesh};
    EXPECT_EQ(drawAll(device().createPipeline(options), picture().createSet(cells)), expected(cells));
}

// few.mesh.
class FewInvocations : public MeshDraws {
protected:
    static constexpr uint32_t kMostVertices = 100;

    // From so many vertices on.
    static Pixels expectedFrom(uint32_t least, bool leave)
    {
        Pixels pixels(size_t{kSize} * kSize, kClear);
        for (uint32_t rows = 0; rows < kSize / 2; ++rows)
            for (uint32_t v = 0; v < std::min(least + rows, kMostVertices) && !(leave && rows % 3 == 1); ++v)
                pixels[2 * kSize * rows + v] = 0xff000000 | (v + 1) << 8 | (2 * v + rows);
        return pixels;
    }

    // `most`: points that a workgroup draws.
    void expectPoints(std::span<const uint32_t> mesh, uint32_t most, bool leave = false)
    {
        const VkDescriptorSet unused = picture().createSet(randomCells(2));
        for (const uint32_t invocations : {3u, 128u}) {
            const VkSpecializationMapEntry entry{0, 0, sizeof invocations};
            const VkSpecializationInfo constants{1, &entry, sizeof invocations, &invocations};
            const VkPipeline pipeline =
                device().createPipeline({.mesh = mesh, .fragment = shaders::few_fragment, .constants = &constants});
            for (uint32_t least = 1; least <= kMostVertices; least += kSize / 2) {
                const VkCommandBuffer cmd = device().device.begin();
                picture().prepare(cmd);
                picture().begin(cmd);
                picture().bind(cmd, pipeline, unused, least);
                device().cmdDraw(cmd, kSize / 2, (kMostVertices + most - 1) / most, 1);
                vkCmdEndRendering(cmd);
                EXPECT_EQ(finish(cmd), expectedFrom(least, leave))
                    << invocations << " invocations, " << least << " vertices and more";
            }
        }
    }
};

TEST_P(FewInvocations, OnePointEach)
{
    expectPoints(shaders::few_1_mesh, 1);
}

TEST_P(FewInvocations, SeveralPointsEach)
{
    expectPoints(shaders::few_8_mesh, 8);
}

TEST_P(FewInvocations, ManyPointsEach)
{
    expectPoints(shaders::few_70_mesh, 70);
}

// SPIR-V does not say what workgroups give out that do not call SetMeshOutputsEXT(), and NVIDIA's driver gives out
// something. HLSL says that it is nothing.
class FewInvocationsOfTheLayer : public FewInvocations {};

TEST_P(FewInvocationsOfTheLayer, LeaveBeforeTheyGiveAnythingOut)
{
    expectPoints(shaders::few_leave_mesh, 8, true);
}

INSTANTIATE_TEST_SUITE_P(By, FewInvocationsOfTheLayer, testing::Values(Provider::Layer),
                         [](const testing::TestParamInfo<Provider>&) { return "Layer"; });

// Compilers of HLSL write such shaders.
TEST_P(MeshDraws, CountsSetAgain_TheLastOnesCount)
{
    const std::vector<Cell> cells = randomCells(23);
    for (const std::span<const uint32_t> mesh : {std::span<const uint32_t>(shaders::cells_again_mesh),
                                                 std::span<const uint32_t>(shaders::cells_again_empty_mesh)})
        EXPECT_EQ(drawAll(device().createPipeline({.mesh = mesh}), picture().createSet(cells)), expected(cells));
}

class MeshPrimitiveIds : public MeshDraws {
protected:
    void expectIds(const PipelineOptions& options)
    {
        std::vector<Cell> cells = randomCells(4);
        const Pixels pixels = drawAll(device().createPipeline(options), picture().createSet(cells));
        for (Cell& cell : cells)
            for (uint32_t square = 0; square < kSquares; ++square)
                cell.colors[square] = (cell.colors[square] & 0xff0000ff) | square << 8;
        EXPECT_EQ(pixels, expected(cells));
    }
};

TEST_P(MeshPrimitiveIds, ReachTheFragmentShader)
{
    expectIds({.mesh = shaders::cells_id_mesh, .fragment = shaders::cells_id_fragment});
}

// Where outputs take all locations that every device has.
TEST_P(MeshPrimitiveIds, BesideManyOutputs_ReachTheFragmentShader)
{
    expectIds({.mesh = shaders::cells_many_mesh, .fragment = shaders::cells_many_fragment});
}

TEST_P(MeshDraws, SpecializationConstant_HasItsValue)
{
    const std::vector<Cell> cells = randomCells(5);
    const uint32_t green = 9;
    const VkSpecializationMapEntry entry{3, 0, sizeof green};
    const VkSpecializationInfo constants{1, &entry, sizeof green, &green};
    const VkPipeline pipeline = device().createPipeline({.constants = &constants});
    EXPECT_EQ(drawAll(pipeline, picture().createSet(cells)), expected(cells, green));
}

// Push constants and sets are those of each draw, and drawing goes on with what was bound.
TEST_P(MeshDraws, SeveralDrawsAndInstances_EachWithWhatIsBound)
{
    const std::vector<Cell> first = randomCells(6), second = randomCells(7);
    std::vector<Cell> both = first;
    both.insert(both.end(), second.begin(), second.end());
    const VkDescriptorSet set = picture().createSet(both), other = picture().createSet(second);
    const VkPipeline pipeline = device().createPipeline();
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    picture().bind(cmd, pipeline, set);
    device().cmdDraw(cmd, kCells, 3, 1);
    const uint32_t firstCell = kCells * kCells;
    vkCmdPushConstants(cmd, device().layout, kMeshStages, 0, sizeof firstCell, &firstCell);
    device().cmdDraw(cmd, kCells, 2, 1);
    vkCmdEndRendering(cmd);
    picture().begin(cmd, 0, VK_ATTACHMENT_LOAD_OP_LOAD);
    picture().bind(cmd, pipeline, other);
    device().cmdDraw(cmd, 4, 1, 1);
    device().cmdDraw(cmd, 0, 5, 1);  // nothing
    vkCmdEndRendering(cmd);
    Pixels wanted(size_t{kSize} * kSize, kClear);
    paint(wanted, first, kCells, 3);
    paint(wanted, second, kCells, 2);
    paint(wanted, second, 4, 1);
    EXPECT_EQ(finish(cmd), wanted);
}

// More direct draws than the layer runs together, with other things between: each has its own push constants, sets,
// pipeline and grid.
TEST_P(MeshDraws, ManyDraws_EachWithItsOwn)
{
    constexpr uint32_t kGreen = 5, kDraws = 1400;
    const VkSpecializationMapEntry entry{3, 0, sizeof kGreen};
    const VkSpecializationInfo constants{1, &entry, sizeof kGreen, &kGreen};
    const VkPipeline pipelines[] = {device().createPipeline(), device().createPipeline({.constants = &constants})};
    std::vector<Cell> cells[2];
    VkDescriptorSet sets[2];
    for (uint32_t i = 0; i < 2; ++i) {
        for (uint32_t part = 0; part < 2; ++part)
            std::ranges::copy(randomCells(20 + 2 * i + part), std::back_inserter(cells[i]));
        sets[i] = picture().createSet(cells[i]);
    }
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    Pixels wanted(size_t{kSize} * kSize, kClear);
    for (uint32_t i = 0; i < kDraws; ++i) {
        const uint32_t set = i / 301 % 2, pipeline = i / 53 % 2;
        const uint32_t width = 1 + i % kCells, height = i % 89 == 0 ? kCells : 1 + i % 2, first = i % 60;
        if (i % 301 == 0 || i % 53 == 0)
            picture().bind(cmd, pipelines[pipeline], sets[set]);
        vkCmdPushConstants(cmd, device().layout, kMeshStages, 0, sizeof first, &first);
        device().cmdDraw(cmd, width, height, 1);
        paint(wanted, {cells[set].begin() + first, cells[set].end()}, width, height, pipeline * kGreen);
    }
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), wanted);
}

// So many workgroups in a row that several workgroups of the layer list them.
TEST_P(MeshDraws, ManyDrawsInARow_EachWithItsOwn)
{
    constexpr uint32_t kDraws = 300;
    std::vector<Cell> cells;
    for (uint32_t part = 0; part < 2; ++part)
        std::ranges::copy(randomCells(30 + part), std::back_inserter(cells));
    const VkPipeline pipeline = device().createPipeline();
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    picture().bind(cmd, pipeline, picture().createSet(cells));
    Pixels wanted(size_t{kSize} * kSize, kClear);
    for (uint32_t i = 0; i < kDraws; ++i) {
        const uint32_t width = 1 + i % kCells, height = 1 + i / 7 % kCells, first = i % kCells;
        vkCmdPushConstants(cmd, device().layout, kMeshStages, 0, sizeof first, &first);
        device().cmdDraw(cmd, width, height, 1);
        paint(wanted, {cells.begin() + first, cells.end()}, width, height);
    }
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), wanted);
}

// Draws that could be one command's, but for what is set and drawn between some of them.
TEST_P(MeshDraws, StateBetweenDraws_EachWithItsOwn)
{
    constexpr uint32_t kDraws = 60;
    const VkPipeline plain = device().device.createGraphics();
    const VkRect2D areas[] = {{{0, 0}, {kSize, kSize}}, {{0, kSize / 2}, {kSize, kSize / 2}}, {{0, 0}, {kSize, 9}}};
    std::vector<Cell> cells;
    for (uint32_t part = 0; part < 2; ++part)
        std::ranges::copy(randomCells(40 + part), std::back_inserter(cells));
    const VkDescriptorSet set = picture().createSet(cells);
    for (const VkPipeline pipeline :
         {device().createPipeline(),
          device().createPipeline({.mesh = shaders::cells_shared_mesh, .fragment = shaders::cells_shared_fragment})}) {
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        picture().begin(cmd);
        picture().bind(cmd, pipeline, set);
        Pixels wanted(size_t{kSize} * kSize, kClear);
        VkRect2D area = areas[0];
        const auto copyArea = [&](const Pixels& drawn) {
            const auto begin = static_cast<ptrdiff_t>(area.offset.y) * kSize;
            std::copy_n(drawn.begin() + begin, area.extent.height * kSize, wanted.begin() + begin);
        };
        for (uint32_t i = 0; i < kDraws; ++i) {
            if (i % 7 == 3) {
                area = areas[i / 7 % 3];
                vkCmdSetScissorWithCount(cmd, 1, &area);
            }
            if (i % 20 == 19) {
                const float color[] = {1, 0, 0, 1};
                vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, plain);
                vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
                vkCmdPushConstants(cmd, device().device.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, sizeof color, color);
                vkCmdDraw(cmd, 3, 1, 0, 0);
                copyArea(Pixels(wanted.size(), 0xff0000ffu));
                picture().bind(cmd, pipeline, set);
                vkCmdSetScissorWithCount(cmd, 1, &area);
            }
            const uint32_t first = i, width = i % 3 == 0 ? 5 : kCells;
            vkCmdPushConstants(cmd, device().layout, kMeshStages, 0, sizeof first, &first);
            device().cmdDraw(cmd, width, 1, 1);
            Pixels drawn = wanted;
            paint(drawn, {cells.begin() + first, cells.end()}, width, 1);
            copyArea(drawn);
        }
        vkCmdEndRendering(cmd);
        EXPECT_EQ(finish(cmd), wanted);
    }
}

// That of each direct draw is 0, whatever was drawn before.
TEST_P(MeshDraws, DirectDraws_NumberIsZero)
{
    const std::vector<Cell> cells = randomCells(24);
    const VkPipeline pipeline = device().createPipeline({.mesh = shaders::cells_draws_mesh});
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    picture().bind(cmd, pipeline, picture().createSet(cells));
    Pixels wanted(size_t{kSize} * kSize, kClear);
    for (uint32_t first = 0; first < 3 * kCells; first += kCells) {
        vkCmdPushConstants(cmd, device().layout, kMeshStages, 0, sizeof first, &first);
        device().cmdDraw(cmd, kCells - first / kCells, 1, 1);
        paint(wanted, {cells.begin() + first, cells.end()}, kCells - first / kCells, 1);
    }
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), wanted);
}

TEST_P(MeshDraws, CommandBufferThatRunsTwice_DrawsTwice)
{
    const std::vector<Cell> cells = randomCells(8);
    const VkPipeline pipeline = device().createPipeline();
    const VkDescriptorSet set = picture().createSet(cells);
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    picture().bind(cmd, pipeline, set);
    device().cmdDraw(cmd, kCells, kCells, 1);
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
    device().device.submit(cmd);
    MILLRACE_CHECK(vkQueueWaitIdle(device().device.queue));
    EXPECT_EQ(picture().pixels(), expected(cells));
}

// What other draws of the instance use is bound again behind one with mesh shaders.
TEST_P(MeshDraws, DrawsOfVerticesInBetween_Undisturbed)
{
    const std::vector<Cell> cells = randomCells(9);
    const VkPipeline pipeline = device().createPipeline();
    const VkPipeline plain = device().device.createGraphics();
    const VkDescriptorSet set = picture().createSet(cells);
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    const float color[] = {1, 0, 0, 1};
    const VkRect2D lower{{0, 32}, {kSize, 32}}, all{{0, 0}, {kSize, kSize}};
    picture().bind(cmd, pipeline, set);
    device().cmdDraw(cmd, kCells, kCells, 1);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, plain);
    vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
    vkCmdPushConstants(cmd, device().device.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, sizeof color, color);
    vkCmdSetScissorWithCount(cmd, 1, &lower);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdSetScissorWithCount(cmd, 1, &all);
    picture().bind(cmd, pipeline, set);
    device().cmdDraw(cmd, kCells, 1, 1);
    vkCmdEndRendering(cmd);
    Pixels wanted = expected(cells);
    std::fill(wanted.begin() + wanted.size() / 2, wanted.end(), 0xff0000ffu);
    EXPECT_EQ(finish(cmd), wanted);
}

TEST_P(MeshDraws, SuspendedInstance_DrawsInBothParts)
{
    const std::vector<Cell> cells = randomCells(10);
    const VkPipeline pipeline = device().createPipeline();
    const VkDescriptorSet set = picture().createSet(cells);
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd, VK_RENDERING_SUSPENDING_BIT);
    picture().bind(cmd, pipeline, set);
    device().cmdDraw(cmd, kCells, 4, 1);
    vkCmdEndRendering(cmd);
    picture().begin(cmd, VK_RENDERING_RESUMING_BIT);
    picture().bind(cmd, pipeline, set, 4 * kCells);
    device().cmdDraw(cmd, kCells, 2, 1);
    vkCmdEndRendering(cmd);
    Pixels wanted(size_t{kSize} * kSize, kClear);
    paint(wanted, cells, kCells, 4);
    paint(wanted, {cells.begin() + 4 * kCells, cells.end()}, kCells, 2);
    EXPECT_EQ(finish(cmd), wanted);
}

TEST_P(MeshDraws, LegacyPassThatWaitsForACopy_DrawsWhatWasCopied)
{
    const std::vector<Cell> cells = randomCells(11);
    // The cells come from the copy in front of the pass.
    const VkSubpassDependency dependency{
        VK_SUBPASS_EXTERNAL,
        0,
        VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        VK_ACCESS_TRANSFER_WRITE_BIT,
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
    const VkRenderPass pass = device().device.createRenderPass({&dependency, 1}, 1, VK_IMAGE_LAYOUT_UNDEFINED);
    const VkPipeline pipeline = device().createPipeline({.renderPass = pass});
    const layertest::Buffer source = picture().createCells(cells);
    const layertest::Buffer copied = device().device.createBuffer(
        source.size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    const layertest::Buffer from = device().device.createBuffer(source.size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    std::copy_n(source.words, source.size / 4, from.words);
    const VkDescriptorSet set = device().device.createSet(copied, device().setLayout);
    const VkCommandBuffer cmd = device().device.begin();
    const VkBufferCopy region{0, 0, source.size};
    vkCmdCopyBuffer(cmd, from.handle, copied.handle, 1, &region);
    picture().beginPass(cmd, pass);
    Picture::setState(cmd);
    picture().bind(cmd, pipeline, set);
    device().cmdDraw(cmd, kCells, kCells, 1);
    vkCmdEndRenderPass(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

// Of the second of three pictures in a buffer shaders make the third one, which others draw. The first one covers all.
class MeshWaits : public MeshDraws {
protected:
    const std::vector<Cell> cells = randomCells(21);
    std::vector<Cell> full = std::vector<Cell>(size_t{kCells} * kCells);
    const PipelineOptions writer{.mesh = shaders::cells_writes_mesh};
    const PipelineOptions fragmentWriter{.fragment = shaders::cells_writes_fragment};
    const PipelineOptions reader{};
    const PipelineOptions taskReader{.mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task};

    // What is written in a subpass is drawn in the next one, if there is one, else behind a barrier.
    void draw(PipelineOptions writes, PipelineOptions reads, uint32_t subpasses, uint32_t times = 1)
    {
        constexpr VkPipelineStageFlags kShaders =
            VK_PIPELINE_STAGE_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT;
        constexpr VkPipelineStageFlags kTarget = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
        const bool isSelf = subpasses == 1;
        const VkSubpassDependency dependencies[] = {
            {0, subpasses - 1, isSelf ? kShaders : kShaders | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, kShaders,
             VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT},
            {0, subpasses - 1, kTarget, kTarget, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
             VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT,
             isSelf ? VkDependencyFlags{VK_DEPENDENCY_BY_REGION_BIT} : VkDependencyFlags{0}}};
        const VkRenderPass pass = device().device.createRenderPass(dependencies, subpasses, VK_IMAGE_LAYOUT_UNDEFINED);
        writes.renderPass = reads.renderPass = pass;
        reads.subpass = subpasses - 1;
        const VkPipeline first = device().createPipeline(writes), second = device().createPipeline(reads);
        const VkDescriptorSet set = createSet();
        const VkCommandBuffer cmd = device().device.begin();
        picture().beginPass(cmd, pass);
        Picture::setState(cmd);
        for (uint32_t i = 0; i < times; ++i) {
            picture().bind(cmd, first, set);
            device().cmdDraw(cmd, kCells, kCells, 1);
            if (isSelf)
                wait(cmd, kShaders);
            else
                vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
            picture().bind(cmd, second, set, 2 * kCells * kCells);
            device().cmdDraw(cmd, kCells, reads.task.empty() ? kCells : 1, 1);
            if (isSelf)
                wait(cmd, kShaders);
        }
        vkCmdEndRenderPass(cmd);
        Pixels wanted = expected(full);
        paint(wanted, cells, kCells, kCells);
        EXPECT_EQ(finish(cmd), wanted);
    }

private:
    VkDescriptorSet createSet()
    {
        for (Cell& cell : full)
            cell.colors.fill(0x3311);
        std::vector<Cell> all = full;
        all.insert(all.end(), cells.begin(), cells.end());
        all.resize(3 * full.size(), Cell{0, {}});
        return picture().createSet(all);
    }
    static void wait(VkCommandBuffer cmd, VkPipelineStageFlags stages)
    {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
        vkCmdPipelineBarrier(cmd, stages, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    }
};

TEST_P(MeshWaits, SubpassThatReadsWhatFragmentShadersWroteBefore_DrawsIt)
{
    draw(fragmentWriter, reader, 2);
    draw(fragmentWriter, taskReader, 2);
}

TEST_P(MeshWaits, SubpassThatReadsWhatMeshShadersWroteBefore_DrawsIt)
{
    draw(writer, reader, 2);
    draw(writer, taskReader, 2);
}

TEST_P(MeshWaits, BarriersInASubpass_WhatIsBehindThemReadsWhatWasWritten)
{
    draw(writer, reader, 1);
    draw(writer, taskReader, 1, 3);
}

INSTANTIATE_TEST_SUITE_P(By, MeshWaits, testing::Values(Provider::Driver, Provider::Layer),
                         [](const auto& info) { return info.param == Provider::Driver ? "Driver" : "Layer"; });

// Of more numbers than are copied one by one.
TEST_P(MeshDraws, LongPayload_ArrivesWhole)
{
    const std::vector<Cell> cells = randomCells(22);
    const VkPipeline pipeline =
        device().createPipeline({.mesh = shaders::cells_long_mesh, .task = shaders::cells_long_task});
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    picture().bind(cmd, pipeline, picture().createSet(cells));
    device().cmdDraw(cmd, kCells, 1, 1);
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

TEST_P(MeshDraws, TaskShaders_EmitWithTheirPayload)
{
    const std::vector<Cell> cells = randomCells(12);
    const PipelineOptions options{.mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task};
    const VkPipeline pipeline = device().createPipeline(options);
    const VkDescriptorSet set = picture().createSet(cells);
    for (uint32_t repeated = 0; repeated < 2; ++repeated) {
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        picture().begin(cmd);
        picture().bind(cmd, pipeline, set);
        device().cmdDraw(cmd, kCells, 1, 1);
        vkCmdEndRendering(cmd);
        EXPECT_EQ(finish(cmd), expected(cells));
    }
}

class MeshQueries : public MeshDraws {
protected:
    // Draws with a query of samples: around the instance, or ended in front of it. Returns what it counts.
    uint64_t drawWithQuery(const std::vector<Cell>& cells, bool isAround)
    {
        const VkPipeline pipeline = device().createPipeline();
        const VkQueryPool queries = device().createQueries(VK_QUERY_TYPE_OCCLUSION);
        const VkDescriptorSet set = picture().createSet(cells);
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        vkCmdResetQueryPool(cmd, queries, 0, 1);
        vkCmdBeginQuery(cmd, queries, 0, 0);
        if (!isAround)
            vkCmdEndQuery(cmd, queries, 0);
        picture().begin(cmd);
        picture().bind(cmd, pipeline, set);
        device().cmdDraw(cmd, kCells, kCells, 1);
        vkCmdEndRendering(cmd);
        if (isAround)
            vkCmdEndQuery(cmd, queries, 0);
        EXPECT_EQ(finish(cmd), expected(cells));
        uint64_t samples = UINT64_MAX;
        MILLRACE_CHECK(vkGetQueryPoolResults(device().device.handle, queries, 0, 1, sizeof samples, &samples,
                                             sizeof samples, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        return samples;
    }
};

// What is in front of the instance counts in no query of samples, so it may begin with the instance.
TEST_P(MeshQueries, AroundTheInstance_CountsWhatIsDrawn)
{
    const uint64_t samples = drawWithQuery(randomCells(25), true);
    EXPECT_GT(samples, 0u);
    EXPECT_LT(samples, UINT64_MAX);
}

TEST_P(MeshQueries, AroundNothing_CountsNothing)
{
    EXPECT_EQ(drawWithQuery(randomCells(26), false), 0u);
}

// Where memory is reserved as well.
TEST_P(MeshDraws, CountsSetAgainBehindTaskShaders_TheLastOnesCount)
{
    const std::vector<Cell> cells = randomCells(24);
    const VkPipeline pipeline =
        device().createPipeline({.mesh = shaders::cells_again_tasks_mesh, .task = shaders::cells_task});
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    picture().bind(cmd, pipeline, picture().createSet(cells));
    device().cmdDraw(cmd, kCells, 1, 1);
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

TEST_P(MeshDraws, SecondaryCommandBuffers_DrawInOrder)
{
    const std::vector<Cell> first = randomCells(15), second = randomCells(16);
    const VkPipeline pipeline = device().createPipeline();
    const VkDescriptorSet sets[] = {picture().createSet(first), picture().createSet(second)};
    VkCommandBuffer secondaries[2];
    for (uint32_t i = 0; i < 2; ++i) {
        secondaries[i] = picture().beginSecondary();
        picture().bind(secondaries[i], pipeline, sets[i]);
        device().cmdDraw(secondaries[i], kCells, kCells - 3 * i, 1);
        MILLRACE_CHECK(vkEndCommandBuffer(secondaries[i]));
    }
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    const VkRenderingInfo info = picture().rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdBeginRendering(cmd, &info);
    vkCmdExecuteCommands(cmd, 2, secondaries);
    vkCmdEndRendering(cmd);
    Pixels wanted = expected(first);
    paint(wanted, second, kCells, kCells - 3);
    EXPECT_EQ(finish(cmd), wanted);
}

TEST_P(MeshDraws, VulkanMemoryModel_AsWithout)
{
    const std::vector<Cell> cells = randomCells(17);
    const PipelineOptions options{.mesh = shaders::cells_tasks_mesh_model, .task = shaders::cells_task_model};
    const VkPipeline pipeline = device().createPipeline(options);
    const VkCommandBuffer cmd = device().device.begin();
    picture().prepare(cmd);
    picture().begin(cmd);
    picture().bind(cmd, pipeline, picture().createSet(cells));
    device().cmdDraw(cmd, kCells, 1, 1);
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

struct Indirect {
    uint32_t stride;
    uint32_t offset;
    uint32_t draws;  // there are
    uint32_t most;   // that are recorded
    bool isCounted;
};

class MeshIndirect : public MeshDraws {
protected:
    // A row for each draw.
    Pixels draw(VkPipeline pipeline, VkDescriptorSet set, const Indirect& indirect, uint32_t groups)
    {
        layertest::TestDevice& own = device().device;
        const layertest::Buffer buffer = own.createBuffer(4096, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        const layertest::Buffer count = own.createBuffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        count.words[3] = indirect.draws;
        for (uint32_t i = 0; i < indirect.most; ++i) {
            const VkDrawMeshTasksIndirectCommandEXT command{groups, 1, 1};
            std::memcpy(buffer.words + (indirect.offset + i * indirect.stride) / 4, &command, sizeof command);
        }
        const VkCommandBuffer cmd = own.begin();
        picture().prepare(cmd);
        picture().begin(cmd);
        picture().bind(cmd, pipeline, set);
        if (indirect.isCounted)
            device().cmdDrawIndirectCount(cmd, buffer.handle, indirect.offset, count.handle, 12, indirect.most,
                                          indirect.stride);
        else
            device().cmdDrawIndirect(cmd, buffer.handle, indirect.offset, indirect.most, indirect.stride);
        vkCmdEndRendering(cmd);
        return finish(cmd);
    }
};

TEST_P(MeshIndirect, Draws_EachWithItsNumber)
{
    const std::vector<Cell> cells = randomCells(13);
    const VkPipeline pipeline = device().createPipeline({.mesh = shaders::cells_draws_mesh});
    const VkDescriptorSet set = picture().createSet(cells);
    for (const Indirect& indirect :
         {Indirect{12, 0, 8, 8, false}, Indirect{64, 24, 8, 5, false}, Indirect{16, 4, 3, 8, true},
          Indirect{12, 0, 8, 6, true}, Indirect{0, 0, 1, 1, false}, Indirect{12, 0, 0, 8, true}}) {
        const uint32_t rows = indirect.isCounted ? std::min(indirect.draws, indirect.most) : indirect.most;
        Pixels wanted(size_t{kSize} * kSize, kClear);
        paint(wanted, cells, kCells, rows);
        EXPECT_EQ(draw(pipeline, set, indirect, kCells), wanted) << indirect.stride << " " << indirect.most;
    }
}

TEST_P(MeshIndirect, TaskShaders_EmitWithTheirPayload)
{
    const std::vector<Cell> cells = randomCells(14);
    const PipelineOptions options{.mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task};
    const VkPipeline pipeline = device().createPipeline(options);
    EXPECT_EQ(draw(pipeline, picture().createSet(cells), {12, 8, 1, 1, false}, kCells), expected(cells));
    EXPECT_EQ(draw(pipeline, picture().createSet(cells), {12, 8, 1, 3, true}, kCells), expected(cells));
}

INSTANTIATE_TEST_SUITE_P(By, MeshIndirect, testing::Values(Provider::Driver, Provider::Layer),
                         [](const testing::TestParamInfo<Provider>& info) {
                             return info.param == Provider::Driver ? "Driver" : "Layer";
                         });

INSTANTIATE_TEST_SUITE_P(By, MeshDraws, testing::Values(Provider::Driver, Provider::Layer),
                         [](const testing::TestParamInfo<Provider>& info) {
                             return info.param == Provider::Driver ? "Driver" : "Layer";
                         });
INSTANTIATE_TEST_SUITE_P(By, FewInvocations, testing::Values(Provider::Driver, Provider::Layer),
                         [](const testing::TestParamInfo<Provider>& info) {
                             return info.param == Provider::Driver ? "Driver" : "Layer";
                         });
INSTANTIATE_TEST_SUITE_P(By, MeshQueries, testing::Values(Provider::Driver, Provider::Layer),
                         [](const testing::TestParamInfo<Provider>& info) {
                             return info.param == Provider::Driver ? "Driver" : "Layer";
                         });

INSTANTIATE_TEST_SUITE_P(By, MeshPrimitiveIds, testing::Values(Provider::Driver, Provider::Layer),
                         [](const testing::TestParamInfo<Provider>& info) {
                             return info.param == Provider::Driver ? "Driver" : "Layer";
                         });

}  // namespace

}  // namespace millrace::meshtest
