// SPDX-License-Identifier: Apache-2.0
// What cannot be drawn is left out, with a message.
#include <gtest/gtest.h>

#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

constexpr char kMessage[] = "Millrace-mesh-shaders";

class MeshRefusals : public testing::Test {
protected:
    MeshDevice device{Provider::Layer};
    Picture picture{device};
    VkDescriptorSet set = picture.createSet(randomCells(20));

    // Nothing is drawn, and it is told once, however often it is recorded.
    void expectLeftOut(VkCommandBuffer cmd)
    {
        picture.copy(cmd);
        device.device.submitAndWait(cmd);
        EXPECT_EQ(picture.pixels(), Pixels(size_t{kSize} * kSize, kClear));
        device.device.instance.expectMessage(kMessage);
    }
};

// An instance between which and the begin of the query is another one: the query would have to go on in two command
// buffers of the driver's.
TEST_F(MeshRefusals, QueryThatBeganInFrontOfAnInstanceBefore_NotDrawn)
{
    const VkPipeline pipeline = device.createPipeline();
    const VkQueryPool pool = device.createQueries(VK_QUERY_TYPE_OCCLUSION);
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    picture.begin(cmd);
    vkCmdEndRendering(cmd);
    picture.begin(cmd);
    picture.bind(cmd, pipeline, set);
    device.cmdDraw(cmd, kCells, kCells, 1);
    device.cmdDraw(cmd, kCells, kCells, 1);
    vkCmdEndRendering(cmd);
    vkCmdEndQuery(cmd, pool, 0);
    expectLeftOut(cmd);
}

// Its instance has no front, where a query is active.
TEST_F(MeshRefusals, SecondaryCommandBufferWithoutAFront_LeftOut)
{
    const VkPipeline pipeline = device.createPipeline();
    const VkQueryPool pool = device.createQueries(VK_QUERY_TYPE_OCCLUSION);
    const VkCommandBuffer secondary = picture.beginSecondary();
    picture.bind(secondary, pipeline, set);
    device.cmdDraw(secondary, kCells, kCells, 1);
    MILLRACE_CHECK(vkEndCommandBuffer(secondary));
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    picture.begin(cmd);
    vkCmdEndRendering(cmd);
    const VkRenderingInfo rendering = picture.rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdBeginRendering(cmd, &rendering);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRendering(cmd);
    vkCmdEndQuery(cmd, pool, 0);
    expectLeftOut(cmd);
}

TEST_F(MeshRefusals, MoreWorkgroupsThanADrawMayHave_NotDrawn)
{
    const VkPipeline pipeline = device.createPipeline();
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    picture.begin(cmd);
    picture.bind(cmd, pipeline, set);
    device.cmdDraw(cmd, 60000, 70, 1);
    vkCmdEndRendering(cmd);
    expectLeftOut(cmd);
}

class MeshBarriers : public MeshRefusals {
protected:
    // Of one subpass, in which mesh shaders may wait for mesh shaders.
    VkRenderPass createPass()
    {
        const VkSubpassDependency dependency{0, 0, kMesh, kMesh, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT};
        return device.device.createRenderPass({&dependency, 1}, 1, VK_IMAGE_LAYOUT_UNDEFINED);
    }
    void drawBehindABarrier(VkCommandBuffer cmd, VkPipeline pipeline)
    {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
        vkCmdPipelineBarrier(cmd, kMesh, kMesh, 0, 1, &barrier, 0, nullptr, 0, nullptr);
        Picture::setState(cmd);
        picture.bind(cmd, pipeline, set);
        device.cmdDraw(cmd, kCells, kCells, 1);
    }

private:
    static constexpr VkPipelineStageFlags kMesh = VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT;
};

// The query would have to go on in both parts.
TEST_F(MeshBarriers, InASubpassWhileAQueryIsActive_NotDrawnBehindIt)
{
    const VkRenderPass pass = createPass();
    const VkPipeline pipeline = device.createPipeline({.renderPass = pass});
    const VkQueryPool pool = device.createQueries(VK_QUERY_TYPE_OCCLUSION);
    const VkCommandBuffer cmd = device.device.begin();
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    picture.beginPass(cmd, pass);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    drawBehindABarrier(cmd, pipeline);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdEndRenderPass(cmd);
    expectLeftOut(cmd);
}

TEST_F(MeshBarriers, InASecondaryCommandBuffer_NotDrawnBehindIt)
{
    const VkRenderPass pass = createPass();
    const VkPipeline pipeline = device.createPipeline({.renderPass = pass});
    VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    inheritance.renderPass = pass;
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    begin.pInheritanceInfo = &inheritance;
    const VkCommandBuffer secondary = device.device.allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    MILLRACE_CHECK(vkBeginCommandBuffer(secondary, &begin));
    drawBehindABarrier(secondary, pipeline);
    MILLRACE_CHECK(vkEndCommandBuffer(secondary));
    const VkCommandBuffer cmd = device.device.begin();
    picture.beginPass(cmd, pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRenderPass(cmd);
    expectLeftOut(cmd);
}

// What the device finds out is told when the command buffer is reset.
TEST_F(MeshRefusals, TaskShadersThatEmitMoreThanTheyMay_NotDrawn)
{
    const VkPipeline flood = device.createPipeline({.task = shaders::flood_task});
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    picture.begin(cmd);
    picture.bind(cmd, flood, set);
    device.cmdDraw(cmd, 1, 1, 1);
    vkCmdEndRendering(cmd);
    picture.copy(cmd);
    device.device.submitAndWait(cmd);
    EXPECT_EQ(picture.pixels(), Pixels(size_t{kSize} * kSize, kClear));
    MILLRACE_CHECK(vkResetCommandPool(device.device.handle, device.device.pool, 0));
    device.device.instance.expectMessage(kMessage);
}

}  // namespace

}  // namespace millrace::meshtest
