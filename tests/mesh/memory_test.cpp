// SPDX-License-Identifier: Apache-2.0
// Memory of emulated mesh shaders: what workgroups give out is drawn, however little or much it is of what they
// declare, and each of them runs once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

constexpr uint32_t kPixels = kSize * kSize;
// With so many points of each workgroup that has any, a picture takes 78 MiB. The arena of a command buffer has 64 at
// first.
constexpr uint32_t kMany = 192;

class MeshMemoryUse : public testing::Test {
protected:
    explicit MeshMemoryUse(Provider provider = Provider::Layer, Beside beside = Beside::Nothing)
        : device(provider, beside)
    {
    }

    MeshDevice device;
    Picture picture{device};
    const layertest::Buffer counter = device.device.createBuffer(64);
    const VkDescriptorSet set = device.device.createSet(counter, device.setLayout);

    VkPipeline createPipeline(bool hasTasks = false)
    {
        if (!hasTasks)
            return device.createPipeline({.mesh = shaders::scatter_mesh, .fragment = shaders::scatter_fragment});
        return device.createPipeline({.mesh = shaders::scatter_tasks_mesh,
                                      .fragment = shaders::scatter_fragment,
                                      .task = shaders::scatter_task});
    }
    // A command buffer in whose first instance of rendering the picture is cleared.
    VkCommandBuffer beginPicture()
    {
        const VkCommandBuffer cmd = device.device.begin();
        picture.prepare(cmd);
        picture.begin(cmd);
        return cmd;
    }
    // Binds what draws `points` points at the beginning and the end of each `period` workgroups.
    void bind(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t period, uint32_t points) const
    {
        picture.bind(cmd, pipeline, set);
        const uint32_t push[] = {period, points};
        vkCmdPushConstants(cmd, device.layout, kMeshStages, 0, sizeof push, push);
    }
    void drawIndirect(VkCommandBuffer cmd, uint32_t x, uint32_t y)
    {
        const layertest::Buffer grid = device.device.createBuffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        grid.words[0] = x;
        grid.words[1] = y;
        grid.words[2] = 1;
        device.cmdDrawIndirect(cmd, grid.handle, 0, 1, 0);
    }
    // Of the points on a pixel the last one is on top.
    static Pixels expected(uint32_t points)
    {
        Pixels pixels(kPixels);
        for (uint32_t pixel = 0; pixel < kPixels; ++pixel)
            pixels[pixel] = pixel % 256 | pixel / 256 << 8 | (points - 1) << 16 | 255u << 24;
        return pixels;
    }
    void finish(VkCommandBuffer cmd)
    {
        picture.copy(cmd);
        device.device.submitAndWait(cmd);
    }
};

// As many workgroups as a draw may have. What they declare would take 64 GiB.
TEST_F(MeshMemoryUse, FourMillionWorkgroupsThatEmitLittle_DrawnInOrder)
{
    const VkPipeline pipeline = createPipeline();
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, pipeline, 1024, 1);
    device.cmdDraw(cmd, 2048, 2048, 1);
    vkCmdEndRendering(cmd);
    finish(cmd);
    EXPECT_EQ(picture.pixels(), expected(1));
    EXPECT_EQ(counter.words[0], 2048u * 2048u);
}

// The host knows no bound that has room.
TEST_F(MeshMemoryUse, DirectDrawBeyondTheArena_DrawnWholeAndInOrder)
{
    const VkPipeline pipeline = createPipeline();
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, pipeline, 32, kMany);
    device.cmdDraw(cmd, 512, 256, 1);
    vkCmdEndRendering(cmd);
    finish(cmd);
    EXPECT_EQ(picture.pixels(), expected(kMany));
    EXPECT_EQ(counter.words[0], 512u * 256u);
}

// So many that workgroups of the layer share them. Every third one has no workgroup.
TEST_F(MeshMemoryUse, ManyDrawsOfOneCommand_DrawnInOrder)
{
    constexpr uint32_t kDraws = 3 * kPixels + 1000;
    const VkPipeline pipeline =
        device.createPipeline({.mesh = shaders::scatter_draws_mesh, .fragment = shaders::scatter_fragment});
    const layertest::Buffer grids = device.device.createBuffer(kDraws * sizeof(VkDrawMeshTasksIndirectCommandEXT),
                                                               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    Pixels wanted = expected(1);
    uint32_t workgroups = 0;
    for (uint32_t draw = 0; draw < kDraws; ++draw) {
        const uint32_t groups = draw % 3;
        std::ranges::copy(std::array{groups, 1u, 1u}, grids.words + 3 * size_t{draw});
        workgroups += groups;
        const uint32_t pixel = draw % kPixels, last = draw / kPixels * 16 + groups - 1;
        if (groups > 0)
            wanted[pixel] = (wanted[pixel] & 0xff00ffffu) | last << 16;
    }
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, pipeline, 2, 1);
    device.cmdDrawIndirect(cmd, grids.handle, 0, kDraws, sizeof(VkDrawMeshTasksIndirectCommandEXT));
    vkCmdEndRendering(cmd);
    finish(cmd);
    EXPECT_EQ(picture.pixels(), wanted);
    EXPECT_EQ(counter.words[0], workgroups);
}

// In two instances, of which the second one draws over what it finds, and draws in between.
TEST_F(MeshMemoryUse, IndirectDrawsBeyondTheArena_DrawnWholeAndInOrder)
{
    const VkPipeline pipeline = createPipeline();
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, pipeline, 2, kMany);
    drawIndirect(cmd, 64, 64);
    drawIndirect(cmd, 128, 64);
    bind(cmd, pipeline, 2, 9);
    device.cmdDraw(cmd, 64, 1, 1);
    vkCmdEndRendering(cmd);
    picture.begin(cmd, 0, VK_ATTACHMENT_LOAD_OP_LOAD);
    bind(cmd, pipeline, 2, kMany - 1);
    drawIndirect(cmd, 128, 32);
    vkCmdEndRendering(cmd);
    finish(cmd);
    Pixels wanted = expected(kMany);
    for (uint32_t pixel = 0; pixel < kPixels / 2; ++pixel)
        wanted[pixel] = expected(kMany - 1)[pixel];
    EXPECT_EQ(picture.pixels(), wanted);
    EXPECT_EQ(counter.words[0], 64u * 64u + 128u * 64u + 64u + 128u * 32u);
}

// 2,097,152 workgroups of task shaders, with 128 MiB of grids and payloads.
// Shaders that write nothing but outputs begin without asking for room, beside one that must not run in vain.
TEST_F(MeshMemoryUse, ShadersThatMayRunInVainBeyondTheArena_DrawnWholeAndInOrder)
{
    const VkPipeline counting = createPipeline();
    const VkPipeline silent =
        device.createPipeline({.mesh = shaders::scatter_silent_mesh, .fragment = shaders::scatter_fragment});
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, silent, 32, kMany);
    device.cmdDraw(cmd, 512, 256, 1);
    drawIndirect(cmd, 512, 256);
    bind(cmd, counting, 32, kMany - 1);
    drawIndirect(cmd, 512, 256);
    bind(cmd, silent, 32, kMany - 2);
    drawIndirect(cmd, 512, 256);
    vkCmdEndRendering(cmd);
    finish(cmd);
    EXPECT_EQ(picture.pixels(), expected(kMany - 2));
    EXPECT_EQ(counter.words[0], 512u * 256u);
}

TEST_F(MeshMemoryUse, TaskShadersBeyondTheArena_RunOnceAndDrawWhole)
{
    const VkPipeline pipeline = createPipeline(true);
    for (const bool isIndirect : {false, true}) {
        counter.words[0] = counter.words[1] = 0;
        const VkCommandBuffer cmd = device.device.begin();
        picture.prepare(cmd);
        picture.begin(cmd);
        bind(cmd, pipeline, 2, kMany);
        if (isIndirect)
            drawIndirect(cmd, 2048, 1024);
        else
            device.cmdDraw(cmd, 2048, 1024, 1);
        vkCmdEndRendering(cmd);
        finish(cmd);
        EXPECT_EQ(picture.pixels(), expected(kMany)) << isIndirect;
        EXPECT_EQ(counter.words[0], 2 * kPixels) << isIndirect;
        EXPECT_EQ(counter.words[1], 2048u * 1024u) << isIndirect;
    }
}

// Of three that are executed together only the second one needs more memory. Its workgroups alone run later.
TEST_F(MeshMemoryUse, SecondaryCommandBufferBeyondTheArena_DrawnWholeAndInOrder)
{
    const VkPipeline pipeline = createPipeline();
    std::vector<VkCommandBuffer> secondaries;
    for (const uint32_t points : {5u, kMany, 7u}) {
        const VkCommandBuffer secondary = picture.beginSecondary();
        bind(secondary, pipeline, 2, points);
        drawIndirect(secondary, 128, points == kMany ? 64 : 32);
        MILLRACE_CHECK(vkEndCommandBuffer(secondary));
        secondaries.push_back(secondary);
    }
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    const VkRenderingInfo rendering = picture.rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdBeginRendering(cmd, &rendering);
    vkCmdExecuteCommands(cmd, static_cast<uint32_t>(secondaries.size()), secondaries.data());
    vkCmdEndRendering(cmd);
    finish(cmd);
    Pixels wanted = expected(kMany);
    for (uint32_t pixel = 0; pixel < kPixels / 2; ++pixel)
        wanted[pixel] = expected(7)[pixel];
    EXPECT_EQ(picture.pixels(), wanted);
    EXPECT_EQ(counter.words[0], 128u * (32 + 64 + 32));
}

// In instances of its own, between others. The primary one waits in between.
TEST_F(MeshMemoryUse, SecondaryCommandBufferWithInstancesBeyondTheArena_DrawnWholeAndInOrder)
{
    const VkPipeline pipeline = createPipeline();
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    std::vector<VkCommandBuffer> secondaries;
    for (const uint32_t points : {5u, kMany, 7u}) {
        const VkCommandBuffer secondary = picture.beginLooseSecondary();
        for (uint32_t instance = 0; instance < 2; ++instance) {
            picture.begin(secondary, 0, VK_ATTACHMENT_LOAD_OP_LOAD);
            bind(secondary, pipeline, 2, points);
            drawIndirect(secondary, 128, points == kMany ? 64 : 32);
            vkCmdEndRendering(secondary);
        }
        MILLRACE_CHECK(vkEndCommandBuffer(secondary));
        secondaries.push_back(secondary);
    }
    vkCmdExecuteCommands(cmd, static_cast<uint32_t>(secondaries.size()), secondaries.data());
    finish(cmd);
    Pixels wanted = expected(kMany);
    for (uint32_t pixel = 0; pixel < kPixels / 2; ++pixel)
        wanted[pixel] = expected(7)[pixel];
    EXPECT_EQ(picture.pixels(), wanted);
    EXPECT_EQ(counter.words[0], 2 * 128u * (32 + 64 + 32));
}

uint64_t residentBytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") {
            status >> word;
            return std::stoull(word) << 10;
        }
    return 0;
}

// On drivers whose memory is the process's.
TEST_F(MeshMemoryUse, CommandBufferThatRunsAgain_GrowsNoMore)
{
    const VkPipeline pipeline = createPipeline();
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, pipeline, 2, kMany);
    drawIndirect(cmd, 128, 64);
    vkCmdEndRendering(cmd);
    picture.copy(cmd);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    const auto run = [&] {
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &cmd;
        MILLRACE_CHECK(vkQueueSubmit(device.device.queue, 1, &submit, VK_NULL_HANDLE));
        MILLRACE_CHECK(vkQueueWaitIdle(device.device.queue));
    };
    // What leaks grows each time. Threads of the driver's keep memory when they first run something, which may be late.
    constexpr uint32_t kMostRuns = 8;
    constexpr uint64_t kGrowth = uint64_t{24} << 20;
    uint64_t grown = UINT64_MAX;
    run();
    for (uint32_t i = 0; i < kMostRuns && grown > kGrowth; ++i) {
        const uint64_t before = residentBytes();
        counter.words[0] = 0;
        run();
        EXPECT_EQ(picture.pixels(), expected(kMany));
        EXPECT_EQ(counter.words[0], 2 * kPixels);
        const uint64_t after = residentBytes();
        grown = after > before ? after - before : 0;
    }
    EXPECT_LE(grown, kGrowth);
}

class MeshMemoryUnderConditions : public MeshMemoryUse {
protected:
    MeshMemoryUnderConditions()
        : MeshMemoryUse(Provider::Layer, driverHas(Beside::Conditions) ? Beside::Conditions : Beside::Nothing)
    {
    }
    void SetUp() override
    {
        if (!driverHas(Beside::Conditions))
            GTEST_SKIP() << "the driver lacks VK_EXT_conditional_rendering";
        begin = device.device.get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT");
        end = device.device.get<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
        conditions.words[1] = 1;
    }

    void drawIf(VkCommandBuffer cmd, bool holds, uint32_t rows)
    {
        VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
        info.buffer = conditions.handle;
        info.offset = holds ? 4 : 0;
        begin(cmd, &info);
        drawIndirect(cmd, 128, rows);
        device.cmdDraw(cmd, 128, rows, 1);
        end(cmd);
    }

    const layertest::Buffer conditions =
        device.device.createBuffer(64, driverHas(Beside::Conditions) ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT
                                                                     : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    PFN_vkCmdBeginConditionalRenderingEXT begin = nullptr;
    PFN_vkCmdEndConditionalRenderingEXT end = nullptr;
};

TEST_F(MeshMemoryUnderConditions, Draws_ThoseWhoseConditionHolds)
{
    const VkPipeline pipeline = createPipeline();
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, pipeline, 2, 5);
    drawIndirect(cmd, 128, 32);
    bind(cmd, pipeline, 2, 7);
    drawIf(cmd, false, 64);
    bind(cmd, pipeline, 2, 9);
    drawIf(cmd, true, 16);
    vkCmdEndRendering(cmd);
    finish(cmd);
    Pixels wanted(kPixels, kClear);
    for (uint32_t pixel = 0; pixel < kPixels / 2; ++pixel)
        wanted[pixel] = expected(pixel < kPixels / 4 ? 9 : 5)[pixel];
    EXPECT_EQ(picture.pixels(), wanted);
    EXPECT_EQ(counter.words[0], 128u * (32 + 16 + 16));
}

TEST_F(MeshMemoryUnderConditions, BeyondTheArena_DrawnWhole)
{
    const VkPipeline pipeline = createPipeline();
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, pipeline, 2, kMany);
    drawIf(cmd, false, 64);
    drawIf(cmd, true, 64);
    vkCmdEndRendering(cmd);
    finish(cmd);
    EXPECT_EQ(picture.pixels(), expected(kMany));
    EXPECT_EQ(counter.words[0], 128u * (64 + 64));
}

class MeshMemoryInOnePiece : public MeshMemoryUse {
protected:
    MeshMemoryInOnePiece() : MeshMemoryUse(Provider::LayerInOnePiece) {}
};

// Nothing waits for more memory, and what does not fit has not begun.
TEST_F(MeshMemoryInOnePiece, WorkgroupsBeyondTheArena_LeftOutWithAMessage)
{
    const VkPipeline pipeline = createPipeline();
    const VkCommandBuffer cmd = beginPicture();
    bind(cmd, pipeline, 2, kMany);
    drawIndirect(cmd, 128, 64);
    vkCmdEndRendering(cmd);
    finish(cmd);
    EXPECT_GT(counter.words[0], kPixels);
    EXPECT_LT(counter.words[0], 2 * kPixels);
    MILLRACE_CHECK(vkResetCommandPool(device.device.handle, device.device.pool, 0));
    device.device.instance.expectMessage("Millrace-mesh-shaders");
}

}  // namespace

}  // namespace millrace::meshtest
