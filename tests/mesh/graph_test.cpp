// SPDX-License-Identifier: Apache-2.0
// Mesh shaders and execution graphs in one command buffer.
#include <gtest/gtest.h>

#include "mesh/picture.h"

namespace millrace::meshtest {

namespace {

constexpr uint32_t kRoots = 100;
constexpr uint32_t kLeaves = 16 * kRoots;  // the tree has four levels of two

// Graphs that the host cannot prove to fit: the command buffer is split behind them, and passes have streams in front.
TEST(MeshAndGraphs, SplitCommandBuffer_DrawsInFrontAndBehind)
{
    MeshDevice device(Provider::Layer, Beside::Graphs);
    layertest::TestDevice& own = device.device;
    Picture picture(device);
    const std::vector<Cell> cells = randomCells(30);
    const VkPipeline pipeline = device.createPipeline();
    const VkDescriptorSet set = picture.createSet(cells);
    const layertest::Graph graph = own.createGraph(
        {layertest::TestDevice::stage(own.createProgram("recurse"), "recurse")}, layertest::Scratch::Minimum);
    const layertest::Buffer counts = own.createBuffer(256);
    const VkDescriptorSet graphSet = own.createSet(counts);
    const VkCommandBuffer cmd = own.begin();
    picture.prepare(cmd);
    own.prepare(cmd, graph, graphSet);
    const auto drawRows = [&](uint32_t first, uint32_t count, VkAttachmentLoadOp loadOp) {
        picture.begin(cmd, 0, loadOp);
        picture.bind(cmd, pipeline, set, first * kCells);
        device.cmdDraw(cmd, kCells, count, 1);
        vkCmdEndRendering(cmd);
    };
    drawRows(0, 3, VK_ATTACHMENT_LOAD_OP_CLEAR);
    own.dispatchIndirect(cmd, graph, "recurse", kRoots, std::vector<uint32_t>(kRoots, 0));
    layertest::TestDevice::barrier(cmd);
    drawRows(2, 2, VK_ATTACHMENT_LOAD_OP_LOAD);
    own.dispatchIndirect(cmd, graph, "recurse", kRoots, std::vector<uint32_t>(kRoots, 0));
    layertest::TestDevice::barrier(cmd);
    picture.copy(cmd);
    own.submitAndWait(cmd);
    EXPECT_EQ(counts.words[4], 2 * kLeaves);
    Pixels wanted(size_t{kSize} * kSize, kClear);
    paint(wanted, cells, kCells, 3);
    paint(wanted, {cells.begin() + 2 * kCells, cells.end()}, kCells, 2);
    EXPECT_EQ(picture.pixels(), wanted);
}

}  // namespace

}  // namespace millrace::meshtest
