// SPDX-License-Identifier: Apache-2.0
// Graphs inside and around rendering and conditional rendering.
#include <gtest/gtest.h>

#include <array>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr uint32_t kSize = 8;
constexpr uint32_t kRed = 0xff0000ff;
constexpr uint32_t kGreen = 0xff00ff00;
constexpr uint32_t kBlue = 0xffff0000;

void beginRendering(VkCommandBuffer cmd, const Image& image)
{
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = image.view;
    color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    color.clearValue.color = {{1.0f, 0.0f, 0.0f, 1.0f}};
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea.extent = {kSize, kSize};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    vkCmdBeginRendering(cmd, &info);
}

void drawColumns(TestDevice& device, VkCommandBuffer cmd, int32_t first, uint32_t count, std::array<float, 4> color)
{
    const VkRect2D scissor{{first, 0}, {count, kSize}};
    vkCmdSetScissorWithCount(cmd, 1, &scissor);
    vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16, color.data());
    vkCmdDraw(cmd, 3, 1, 0, 0);
}

class Rendering : public testing::TestWithParam<bool> {
protected:
    explicit Rendering()
    {
        graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
        counts = device.createBuffer(256);
        set = device.createSet(counts);
    }

    void dispatchGraph(VkCommandBuffer cmd, uint32_t count = 1)
    {
        const std::vector<uint32_t> roots(count, 0);
        if (GetParam())
            device.dispatchIndirect(cmd, graph, "recurse", count, roots);
        else
            device.dispatch(cmd, graph, "recurse", count, roots);
    }

    static DeviceOptions options()
    {
        static VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT, nullptr, VK_TRUE};
        DeviceOptions out;
        out.chain = &conditional;
        out.extensions = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
        return out;
    }

    TestDevice device{{}, options()};
    Graph graph;
    Buffer counts;
    VkDescriptorSet set;
};

TEST_P(Rendering, InsideRendering_AttachmentsAndStateSurvive)
{
    const VkPipeline pipeline = device.createGraphics();
    const Image image = device.createTarget(kSize, kSize);
    const Buffer pixels = device.createBuffer(kSize * kSize * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    TestDevice::transition(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkCmdBindPipeline(cmd, kGraphics, pipeline);
    const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
    vkCmdSetViewportWithCount(cmd, 1, &viewport);
    vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
    beginRendering(cmd, image);
    drawColumns(device, cmd, 0, 2, {0, 1, 0, 1});
    dispatchGraph(cmd);
    drawColumns(device, cmd, 2, 2, {0, 0, 1, 1});
    vkCmdDraw(cmd, 3, 1, 0, 0);
    dispatchGraph(cmd);
    vkCmdDraw(cmd, 3, 1, 0, 0);  // with everything set before the graph
    vkCmdEndRendering(cmd);
    TestDevice::transition(cmd, image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kSize, kSize, 1};
    vkCmdCopyImageToBuffer(cmd, image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels.handle, 1, &copy);
    device.barrier(cmd);
    device.submitAndWait(cmd);
    EXPECT_EQ((std::vector<uint32_t>(pixels.words, pixels.words + kSize)),
              (std::vector<uint32_t>{kGreen, kGreen, kBlue, kBlue, kRed, kRed, kRed, kRed}));
    EXPECT_EQ(counts.words[4], 32u);
}

TEST_P(Rendering, InsideLegacyPass_ReportedAndSkipped)
{
    VkAttachmentDescription attachment{};
    attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass{};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &reference;
    VkRenderPassCreateInfo passInfo{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    passInfo.attachmentCount = 1;
    passInfo.pAttachments = &attachment;
    passInfo.subpassCount = 1;
    passInfo.pSubpasses = &subpass;
    VkRenderPass pass = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateRenderPass(device.handle, &passInfo, nullptr, &pass));
    const Image image = device.createTarget(kSize, kSize);
    VkFramebufferCreateInfo frameInfo{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    frameInfo.renderPass = pass;
    frameInfo.attachmentCount = 1;
    frameInfo.pAttachments = &image.view;
    frameInfo.width = frameInfo.height = kSize;
    frameInfo.layers = 1;
    VkFramebuffer frame = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateFramebuffer(device.handle, &frameInfo, nullptr, &frame));

    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    begin.renderPass = pass;
    begin.framebuffer = frame;
    begin.renderArea.extent = {kSize, kSize};
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    dispatchGraph(cmd);
    device.instance.expectMessage("Millrace-graph-in-render-pass");
    vkCmdEndRenderPass(cmd);
    dispatchGraph(cmd);
    device.submitAndWait(cmd);
    EXPECT_EQ(counts.words[0], 1u);
    vkDestroyFramebuffer(device.handle, frame, nullptr);
    vkDestroyRenderPass(device.handle, pass, nullptr);
}

TEST_P(Rendering, ConditionalRendering_CoversTheWholeGraph)
{
    const auto begin = device.get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT");
    const auto end = device.get<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
    const VkPipeline store = device.createCompute(device.createModule(shaders::store));
    const Buffer stored = device.createBuffer(256);
    const VkDescriptorSet storedSet = device.createSet(stored);
    const Buffer predicate = device.createBuffer(16, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
    for (uint32_t value : {0u, 1u}) {
        counts.words[0] = counts.words[4] = 0;
        stored.words[0] = stored.words[1] = 0;
        predicate.words[0] = value;
        VkCommandBuffer cmd = device.begin();
        VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
        info.buffer = predicate.handle;
        begin(cmd, &info);
        device.prepare(cmd, graph, set);  // initializing is not affected
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, store);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, device.layout, 0, 1, &storedSet, 0, nullptr);
        uint32_t push[] = {0, 5};
        vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
        dispatchGraph(cmd, 20);
        vkCmdDispatch(cmd, 1, 1, 1);
        end(cmd);
        push[0] = 1;
        vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
        vkCmdDispatch(cmd, 1, 1, 1);
        device.submitAndWait(cmd);
        EXPECT_EQ(counts.words[0], 20 * value);
        EXPECT_EQ(counts.words[4], 20 * 16 * value);
        EXPECT_EQ(stored.words[0], 5 * value);
        EXPECT_EQ(stored.words[1], 5u);
    }
}

INSTANTIATE_TEST_SUITE_P(Layer, Rendering, testing::Bool(), [](const testing::TestParamInfo<bool>& info) {
    return std::string(info.param ? "Split" : "Whole");
});

}  // namespace

}  // namespace millrace::layertest
