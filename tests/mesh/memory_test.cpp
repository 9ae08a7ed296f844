// SPDX-License-Identifier: Apache-2.0
// Memory of emulated mesh shaders: what workgroups give out is drawn, however little or much it is of what they
// declare.
#include <gtest/gtest.h>

#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

constexpr uint32_t kPixels = kSize * kSize;

class MeshMemoryUse : public testing::Test {
protected:
    MeshDevice device{Provider::Layer};
    Picture picture{device};
    const VkDescriptorSet set = picture.createSet(randomCells(1));

    // Binds what draws `points` points at the beginning and the end of each `period` workgroups.
    void bind(VkCommandBuffer cmd, VkPipeline pipeline, uint32_t period, uint32_t points) const
    {
        picture.bind(cmd, pipeline, set);
        const uint32_t push[] = {period, points};
        vkCmdPushConstants(cmd, device.layout, kMeshStages, 0, sizeof push, push);
    }
    // Of the points on a pixel the last one is on top.
    static Pixels expected(uint32_t points)
    {
        Pixels pixels(kPixels);
        for (uint32_t pixel = 0; pixel < kPixels; ++pixel)
            pixels[pixel] = pixel % 256 | pixel / 256 << 8 | (points - 1) << 16 | 255u << 24;
        return pixels;
    }
};

// As many workgroups as a draw may have. What they declare would take 64 GiB.
TEST_F(MeshMemoryUse, FourMillionWorkgroupsThatEmitLittle_DrawnInOrder)
{
    const VkPipeline pipeline =
        device.createPipeline({.mesh = shaders::scatter_mesh, .fragment = shaders::scatter_fragment});
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    picture.begin(cmd);
    bind(cmd, pipeline, 1024, 1);
    device.cmdDraw(cmd, 2048, 2048, 1);
    vkCmdEndRendering(cmd);
    picture.copy(cmd);
    device.device.submitAndWait(cmd);
    EXPECT_EQ(picture.pixels(), expected(1));
}

}  // namespace

}  // namespace millrace::meshtest
