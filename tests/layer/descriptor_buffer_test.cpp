// SPDX-License-Identifier: Apache-2.0
// VK_EXT_descriptor_buffer in front of, in and behind graphs that are split.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr uint32_t kRoots = 300;
constexpr uint32_t kLeaves = 16 * kRoots;  // the tree has four levels of two
constexpr VkDeviceSize kSetBytes = 256;    // from one set to the next in a descriptor buffer
constexpr uint32_t kSize = 8;
constexpr uint32_t kGreen = 0xff00ff00;

DeviceOptions withDescriptorBuffers()
{
    static VkPhysicalDeviceDescriptorBufferFeaturesEXT features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
    features.descriptorBuffer = VK_TRUE;
    return {.chain = &features, .extensions = {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME}};
}

// What the settings "continuation" and "step_by_step" make of the command buffer.
struct Way {
    const char* name;
    const char* setting;
    const char* value;
};

class DescriptorBuffers : public testing::TestWithParam<Way> {
protected:
    DescriptorBuffers() : device({.settings = {{GetParam().setting, GetParam().value}}}, withDescriptorBuffers())
    {
        setLayout = device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                           VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
        layout = device.createLayout(setLayout, setLayout);
        VkPhysicalDeviceDescriptorBufferPropertiesEXT limits{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
        VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
        vkGetPhysicalDeviceProperties2(device.physical, &properties);
        descriptorBytes = limits.storageBufferDescriptorSize;
        tree = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum,
                                  layout, VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
        counts = device.createBuffer(256);
    }

    // The validation layer asks it of pipelines that have no descriptors as well, such as those of the scheduler.
    void TearDown() override
    {
        for (const Message& message : device.instance.takeMessages())
            EXPECT_TRUE(message.id.starts_with("VUID-vkCmdDispatch") && message.id.ends_with("-None-08117"))
                << message.text;
    }

    // A descriptor buffer with a set for each of these.
    Buffer createDescriptors(const std::vector<Buffer>& buffers)
    {
        const Buffer descriptors =
            device.createBuffer(kSetBytes * buffers.size(), VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
        VkDeviceSize binding = 0;
        device.get<PFN_vkGetDescriptorSetLayoutBindingOffsetEXT>("vkGetDescriptorSetLayoutBindingOffsetEXT")(
            device.handle, setLayout, 0, &binding);
        for (size_t i = 0; i < buffers.size(); ++i) {
            VkDescriptorAddressInfoEXT address{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT};
            address.address = buffers[i].address;
            address.range = buffers[i].size;
            VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT};
            info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            info.data.pStorageBuffer = &address;
            device.get<PFN_vkGetDescriptorEXT>("vkGetDescriptorEXT")(
                device.handle, &info, descriptorBytes,
                reinterpret_cast<std::byte*>(descriptors.words) + i * kSetBytes + binding);
        }
        return descriptors;
    }

    void bindBuffers(VkCommandBuffer cmd, const std::vector<Buffer>& buffers)
    {
        std::vector<VkDescriptorBufferBindingInfoEXT> infos;
        for (const Buffer& buffer : buffers) {
            infos.push_back({VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT});
            infos.back().address = buffer.address;
            infos.back().usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        }
        device.get<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT")(
            cmd, static_cast<uint32_t>(infos.size()), infos.data());
    }

    void setOffset(VkCommandBuffer cmd, VkPipelineBindPoint bindPoint, uint32_t buffer, VkDeviceSize set)
    {
        const VkDeviceSize offset = set * kSetBytes;
        device.get<PFN_vkCmdSetDescriptorBufferOffsetsEXT>("vkCmdSetDescriptorBufferOffsetsEXT")(
            cmd, bindPoint, layout, 0, 1, &buffer, &offset);
    }

    VkCommandBuffer begin()
    {
        VkCommandBuffer cmd = device.begin();
        device.cmdInitialize(cmd, tree.pipeline, tree.scratch.address, tree.scratch.size);
        device.barrier(cmd);
        vkCmdBindPipeline(cmd, kGraphPoint, tree.pipeline);
        return cmd;
    }

    // Many sweeps: the scratch memory has room for one workgroup's payloads on each level.
    void runTree(VkCommandBuffer cmd)
    {
        device.dispatchIndirect(cmd, tree, "recurse", kRoots, std::vector<uint32_t>(kRoots, 0));
        device.barrier(cmd);
    }

    TestDevice device;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    size_t descriptorBytes = 0;
    Graph tree;
    Buffer counts;
};

TEST_P(DescriptorBuffers, Dispatches_BehindTheGraph)
{
    const Buffer stored = device.createBuffer(256);
    const Buffer descriptors = createDescriptors({counts, stored});
    const VkPipeline store =
        device.createCompute(device.createModule(shaders::store), layout, VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
    VkCommandBuffer cmd = begin();
    bindBuffers(cmd, {descriptors});
    setOffset(cmd, kGraphPoint, 0, 0);
    setOffset(cmd, kCompute, 0, 1);
    vkCmdBindPipeline(cmd, kCompute, store);
    const uint32_t push[] = {10, 5};
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
    runTree(cmd);
    vkCmdDispatch(cmd, 1, 1, 1);
    device.barrier(cmd);
    runTree(cmd);
    device.submitAndWait(cmd);
    EXPECT_EQ(counts.words[4], 2 * kLeaves);
    EXPECT_EQ(stored.words[10], 5u);
}

// Offsets that were set before buffers are bound again are gone; those that are set behind it count.
TEST_P(DescriptorBuffers, BuffersBoundAgain_OffsetsBehindThemCount)
{
    const Buffer stored = device.createBuffer(256);
    const Buffer unused = device.createBuffer(256);
    const Buffer first = createDescriptors({unused, unused});
    const Buffer second = createDescriptors({stored, counts});
    const VkPipeline store =
        device.createCompute(device.createModule(shaders::store), layout, VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
    VkCommandBuffer cmd = begin();
    bindBuffers(cmd, {first});
    setOffset(cmd, kGraphPoint, 0, 0);
    setOffset(cmd, kCompute, 0, 1);
    setOffset(cmd, kGraphics, 0, 1);
    bindBuffers(cmd, {first, second});
    setOffset(cmd, kGraphPoint, 1, 1);
    setOffset(cmd, kCompute, 1, 0);
    vkCmdBindPipeline(cmd, kCompute, store);
    const uint32_t push[] = {3, 7};
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
    runTree(cmd);
    vkCmdDispatch(cmd, 1, 1, 1);
    device.submitAndWait(cmd);
    EXPECT_EQ(counts.words[4], kLeaves);
    EXPECT_EQ(stored.words[3], 7u);
    EXPECT_EQ(unused.words[3], 0u);
}

void beginRendering(VkCommandBuffer cmd, const Image& image)
{
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = image.view;
    color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea.extent = {kSize, kSize};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    vkCmdBeginRendering(cmd, &info);
}

TEST_P(DescriptorBuffers, Draws_BehindTheGraph)
{
    const Buffer color = device.createBuffer(256);
    const std::array<float, 4> green = {0.0f, 1.0f, 0.0f, 1.0f};
    std::memcpy(color.words, green.data(), sizeof green);
    const Buffer descriptors = createDescriptors({counts, color});
    const Image target = device.createTarget(kSize, kSize);
    const Buffer pixels = device.createBuffer(VkDeviceSize{4} * kSize * kSize, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    const VkPipeline draw = device.createGraphics(
        {.layout = layout, .fragment = shaders::buffer_color, .flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT});
    VkCommandBuffer cmd = begin();
    bindBuffers(cmd, {descriptors});
    setOffset(cmd, kGraphPoint, 0, 0);
    setOffset(cmd, kGraphics, 0, 1);
    vkCmdBindPipeline(cmd, kGraphics, draw);
    const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
    const VkRect2D scissor{{0, 0}, {kSize, kSize}};
    vkCmdSetViewportWithCount(cmd, 1, &viewport);
    vkCmdSetScissorWithCount(cmd, 1, &scissor);
    vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
    runTree(cmd);
    TestDevice::transition(cmd, target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    beginRendering(cmd, target);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRendering(cmd);
    TestDevice::transition(cmd, target, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kSize, kSize, 1};
    vkCmdCopyImageToBuffer(cmd, target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels.handle, 1, &copy);
    device.barrier(cmd);
    device.submitAndWait(cmd);
    EXPECT_EQ(counts.words[4], kLeaves);
    EXPECT_EQ(pixels.words[0], kGreen);
    EXPECT_EQ(pixels.words[kSize * kSize - 1], kGreen);
}

INSTANTIATE_TEST_SUITE_P(Ways, DescriptorBuffers,
                         testing::Values(Way{"Split", "continuation", "complete"},
                                         Way{"StepByStep", "step_by_step", "true"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace

}  // namespace millrace::layertest
