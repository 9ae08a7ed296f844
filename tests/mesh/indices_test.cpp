// SPDX-License-Identifier: Apache-2.0
// Draws of emulated mesh shaders whose primitives share vertices have index buffers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

// Each square is two triangles with four vertices.
class MeshIndices : public testing::Test {
protected:
    MeshDevice device{Provider::Layer};
    Picture picture{device};
    const std::vector<Cell> cells = randomCells(31);
    const VkPipeline pipeline =
        device.createPipeline({.mesh = shaders::cells_shared_mesh, .fragment = shaders::cells_shared_fragment});
    const VkDescriptorSet set = picture.createSet(cells);
    // Null: the driver has no such.
    const VkQueryPool counter = device.hasStatistics()
                                    ? device.createQueries(VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                                           VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
                                                               VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT)
                                    : VK_NULL_HANDLE;

    VkCommandBuffer begin()
    {
        const VkCommandBuffer cmd = device.device.begin();
        if (counter)
            vkCmdResetQueryPool(cmd, counter, 0, 1);
        picture.prepare(cmd);
        picture.begin(cmd);
        return cmd;
    }
    Pixels finish(VkCommandBuffer cmd)
    {
        vkCmdEndRendering(cmd);
        picture.copy(cmd);
        device.device.submitAndWait(cmd);
        return picture.pixels();
    }
    Pixels expected() const
    {
        Pixels pixels(size_t{kSize} * kSize, kClear);
        paint(pixels, cells, kCells, kCells);
        return pixels;
    }
    // Vertices that were drawn, and runs of the vertex shader.
    struct Work {
        uint64_t vertices = 0;
        uint64_t runs = 0;
    };
    Work counted() const
    {
        Work work;
        EXPECT_EQ(vkGetQueryPoolResults(device.device.handle, counter, 0, 1, sizeof work, &work, sizeof work,
                                        VK_QUERY_RESULT_64_BIT),
                  VK_SUCCESS);
        return work;
    }
    void drawIndirect(VkCommandBuffer cmd)
    {
        const layertest::Buffer grid = device.device.createBuffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        std::ranges::copy(std::vector<uint32_t>{kCells, kCells, 1}, grid.words);
        device.cmdDrawIndirect(cmd, grid.handle, 0, 1, 0);
    }
};

TEST_F(MeshIndices, PrimitivesThatShareVertices_FewerRunsOfTheVertexShader)
{
    for (const bool isIndirect : {false, true}) {
        const VkCommandBuffer cmd = begin();
        picture.bind(cmd, pipeline, set);
        if (counter)
            vkCmdBeginQuery(cmd, counter, 0, 0);
        if (isIndirect)
            drawIndirect(cmd);
        else
            device.cmdDraw(cmd, kCells, kCells, 1);
        if (counter)
            vkCmdEndQuery(cmd, counter, 0);
        EXPECT_EQ(finish(cmd), expected()) << isIndirect;
        if (!counter)
            continue;
        const Work work = counted();
        EXPECT_GT(work.vertices, 0u) << isIndirect;
        EXPECT_LT(work.runs, work.vertices) << isIndirect;
    }
}

// The application binds an index buffer in front of draws with mesh shaders, and one between two of them.
TEST_F(MeshIndices, IndexBufferOfTheApplication_IsBoundAgain)
{
    const VkPipeline plain = device.device.createGraphics();
    const layertest::Buffer indices = device.device.createBuffer(64, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
    std::ranges::copy(std::vector<uint32_t>{1, 1, 0, 1, 2, 1, 1, 1}, indices.words);
    const float color[] = {1, 0, 0, 1};
    const VkRect2D lower{{0, 32}, {kSize, 32}}, all{{0, 0}, {kSize, kSize}};
    Pixels wanted = expected();
    std::fill(wanted.begin() + static_cast<ptrdiff_t>(wanted.size() / 2), wanted.end(), 0xff0000ffu);
    for (const bool isBetween : {false, true}) {
        const VkCommandBuffer cmd = begin();
        const VkDeviceSize offset = 2 * sizeof(uint32_t);
        vkCmdBindIndexBuffer(cmd, indices.handle, isBetween ? 4 * sizeof(uint32_t) : offset, VK_INDEX_TYPE_UINT32);
        picture.bind(cmd, pipeline, set);
        device.cmdDraw(cmd, kCells, kCells, 1);
        if (isBetween)
            vkCmdBindIndexBuffer(cmd, indices.handle, offset, VK_INDEX_TYPE_UINT32);
        device.cmdDraw(cmd, kCells, kCells, 1);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, plain);
        vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
        vkCmdPushConstants(cmd, device.device.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, sizeof color, color);
        vkCmdSetScissorWithCount(cmd, 1, &lower);
        vkCmdDrawIndexed(cmd, 3, 1, 0, 0, 0);
        vkCmdSetScissorWithCount(cmd, 1, &all);
        picture.bind(cmd, pipeline, set);
        device.cmdDraw(cmd, kCells, 1, 1);
        EXPECT_EQ(finish(cmd), wanted) << isBetween;
    }
}

}  // namespace

}  // namespace millrace::meshtest
