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

TEST_F(MeshRefusals, QueryThatBeganInFrontOfTheInstance_NotDrawn)
{
    const VkPipeline pipeline = device.createPipeline();
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_OCCLUSION;
    info.queryCount = 1;
    VkQueryPool pool = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateQueryPool(device.device.handle, &info, nullptr, &pool));
    device.device.onDestroy([this, pool] { vkDestroyQueryPool(device.device.handle, pool, nullptr); });
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkCmdBeginQuery(cmd, pool, 0, 0);
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
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_OCCLUSION;
    info.queryCount = 1;
    VkQueryPool pool = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateQueryPool(device.device.handle, &info, nullptr, &pool));
    device.device.onDestroy([this, pool] { vkDestroyQueryPool(device.device.handle, pool, nullptr); });
    const VkCommandBuffer secondary = picture.beginSecondary();
    picture.bind(secondary, pipeline, set);
    device.cmdDraw(secondary, kCells, kCells, 1);
    MILLRACE_CHECK(vkEndCommandBuffer(secondary));
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkCmdBeginQuery(cmd, pool, 0, 0);
    const VkRenderingInfo rendering = picture.rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdBeginRendering(cmd, &rendering);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    vkCmdEndRendering(cmd);
    vkCmdEndQuery(cmd, pool, 0);
    expectLeftOut(cmd);
}

TEST_F(MeshRefusals, MoreOutputsThanADrawMayHave_NotDrawn)
{
    const VkPipeline pipeline = device.createPipeline();
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    picture.begin(cmd);
    picture.bind(cmd, pipeline, set);
    device.cmdDraw(cmd, 60000, 60, 1);
    vkCmdEndRendering(cmd);
    expectLeftOut(cmd);
}

// An instance that began in front of all modules with mesh shaders has no front.
TEST_F(MeshRefusals, FirstPipelineInsideTheInstance_NotDrawn)
{
    const VkCommandBuffer cmd = device.device.begin();
    picture.prepare(cmd);
    picture.begin(cmd);
    picture.bind(cmd, device.createPipeline(), set);
    device.cmdDraw(cmd, kCells, kCells, 1);
    vkCmdEndRendering(cmd);
    expectLeftOut(cmd);
}

// Of two subpasses, of which the second one's mesh shaders wait for the first.
VkRenderPass createPassThatWaits(layertest::TestDevice& device)
{
    VkAttachmentDescription attachment{};
    attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpasses[2]{};
    for (VkSubpassDescription& subpass : subpasses) {
        subpass.colorAttachmentCount = 1;
        subpass.pColorAttachments = &reference;
    }
    const VkSubpassDependency dependencies[] = {
        {0, 1, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT, VK_ACCESS_SHADER_WRITE_BIT,
         VK_ACCESS_SHADER_READ_BIT},
        {0, 1, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT}};
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = 2;
    info.pSubpasses = subpasses;
    info.dependencyCount = 2;
    info.pDependencies = dependencies;
    VkRenderPass pass = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateRenderPass(device.handle, &info, nullptr, &pass));
    device.onDestroy([&device, pass] { vkDestroyRenderPass(device.handle, pass, nullptr); });
    return pass;
}

TEST_F(MeshRefusals, SubpassThatWaitsForOneBefore_NotDrawn)
{
    const VkRenderPass pass = createPassThatWaits(device.device);
    VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    frame.renderPass = pass;
    frame.attachmentCount = 1;
    frame.pAttachments = &picture.target.view;
    frame.width = frame.height = kSize;
    frame.layers = 1;
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateFramebuffer(device.device.handle, &frame, nullptr, &framebuffer));
    device.device.onDestroy([this, framebuffer] { vkDestroyFramebuffer(device.device.handle, framebuffer, nullptr); });
    const VkPipeline pipeline = device.createPipeline({.renderPass = pass, .subpass = 1});
    const VkCommandBuffer cmd = device.device.begin();
    VkClearValue clear{};
    for (uint32_t i = 0; i < 4; ++i)
        clear.color.float32[i] = static_cast<float>(kClear >> (8 * i) & 255) / 255;
    VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    info.renderPass = pass;
    info.framebuffer = framebuffer;
    info.renderArea = {{0, 0}, {kSize, kSize}};
    info.clearValueCount = 1;
    info.pClearValues = &clear;
    vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    Picture::setState(cmd);
    picture.bind(cmd, pipeline, set);
    device.cmdDraw(cmd, kCells, kCells, 1);
    vkCmdEndRenderPass(cmd);
    expectLeftOut(cmd);
}

// What the device finds out is told when the command buffer is reset.
TEST_F(MeshRefusals, TaskShadersThatEmitMoreThanHasRoom_NotDrawn)
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
