// SPDX-License-Identifier: Apache-2.0
// State flags of VK_NV_device_generated_commands.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "commands/generated_device.h"
#include "commands/random_layout.h"

namespace millrace::commandtest {

namespace {

// A triangle that covers the target, drawn by each sequence with a color and a front face of its own: the last one that
// faces the viewer is seen.
class FrontFacesOfStreams : public testing::Test {
protected:
    struct Record {
        float color[4];
        uint32_t flags;
        VkDrawIndirectCommand draw;
    };
    static_assert(sizeof(Record) == 36);
    static constexpr uint32_t kSequences = 40;

    // The colors are multiples of 1/255.
    static uint32_t colorOf(uint32_t sequence) { return 0xff000000u | (sequence + 1) * 0x010307u; }

    std::vector<uint32_t> records(uint32_t seed) const
    {
        Random random(seed);
        std::vector<uint32_t> words(kSequences * sizeof(Record) / 4);
        for (uint32_t i = 0; i < kSequences; ++i) {
            Record record{{}, static_cast<uint32_t>(random()), {3, 1, 0, 0}};
            for (uint32_t c = 0; c < 4; ++c)
                record.color[c] = static_cast<float>(colorOf(i) >> (8 * c) & 0xff) / 255.0f;
            std::memcpy(&words[i * sizeof(Record) / 4], &record, sizeof record);
        }
        return words;
    }

    // Of the sequences whose triangle is in front for `flag`.
    static uint32_t lastColor(const std::vector<uint32_t>& words, uint32_t flag)
    {
        uint32_t color = 0;
        for (uint32_t i = 0; i < kSequences; ++i)
            if ((words[i * sizeof(Record) / 4 + 4] & 1) == flag)
                color = colorOf(i);
        return color;
    }

    VkIndirectCommandsLayoutNV createLayout() const
    {
        VkIndirectCommandsLayoutTokenNV tokens[3] = {};
        for (VkIndirectCommandsLayoutTokenNV& token : tokens)
            token.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_NV;
        tokens[0].tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV;
        tokens[0].pushconstantPipelineLayout = m_device.layout;
        tokens[0].pushconstantShaderStageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
        tokens[0].pushconstantOffset = tokens[0].pushconstantSize = 16;
        tokens[1].tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV;
        tokens[1].offset = offsetof(Record, flags);
        tokens[1].indirectStateFlags = VK_INDIRECT_STATE_FLAG_FRONTFACE_BIT_NV;
        tokens[2].tokenType = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV;
        tokens[2].offset = offsetof(Record, draw);
        const uint32_t stride = sizeof(Record);
        VkIndirectCommandsLayoutCreateInfoNV info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_NV};
        info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
        info.tokenCount = 3;
        info.pTokens = tokens;
        info.streamCount = 1;
        info.pStreamStrides = &stride;
        VkIndirectCommandsLayoutNV layout = VK_NULL_HANDLE;
        MILLRACE_CHECK(m_device.get<PFN_vkCreateIndirectCommandsLayoutNV>("vkCreateIndirectCommandsLayoutNV")(
            m_device.handle, &info, nullptr, &layout));
        return layout;
    }

    void transition(VkCommandBuffer cmd, VkImage image, VkImageLayout from, VkImageLayout to) const
    {
        VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
        barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        barrier.oldLayout = from;
        barrier.newLayout = to;
        barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.image = image;
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                             0, nullptr, 1, &barrier);
    }

    void beginTarget(VkCommandBuffer cmd, const layertest::Image& target) const
    {
        transition(cmd, target.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
        attachment.imageView = target.view;
        attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
        attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.renderArea.extent = {kSide, kSide};
        info.layerCount = 1;
        info.colorAttachmentCount = 1;
        info.pColorAttachments = &attachment;
        vkCmdBeginRendering(cmd, &info);
        const VkViewport viewport{0, 0, kSide, kSide, 0, 1};
        const VkRect2D scissor{{0, 0}, {kSide, kSide}};
        vkCmdSetViewportWithCount(cmd, 1, &viewport);
        vkCmdSetScissorWithCount(cmd, 1, &scissor);
        vkCmdSetCullMode(cmd, VK_CULL_MODE_BACK_BIT);
    }

    uint32_t finish(VkCommandBuffer cmd, const layertest::Image& target)
    {
        const layertest::Buffer pixels = m_device.createBuffer(kSide * kSide * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
        vkCmdEndRendering(cmd);
        transition(cmd, target.handle, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        VkBufferImageCopy copy{};
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        copy.imageExtent = {kSide, kSide, 1};
        vkCmdCopyImageToBuffer(cmd, target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels.handle, 1, &copy);
        m_device.submitAndWait(cmd);
        return pixels.words[0];
    }

    // By the pipeline's own front face, which is that of flag 0.
    uint32_t flagInFront(VkPipeline pipeline)
    {
        const layertest::Image target = m_device.createTarget(kSide, kSide);
        const VkCommandBuffer cmd = m_device.begin();
        beginTarget(cmd, target);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        const float white[] = {1, 1, 1, 1};
        vkCmdPushConstants(cmd, m_device.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16, white);
        vkCmdDraw(cmd, 3, 1, 0, 0);
        return finish(cmd, target) ? 0 : 1;
    }

    static constexpr uint32_t kSide = 4;
    GeneratedDevice m_generated{Provider::Layer, {.draws = true, .streams = true}};
    layertest::TestDevice& m_device = m_generated.device;
};

TEST_F(FrontFacesOfStreams, TokensSetThem_TheLastSequenceInFrontIsSeen)
{
    const VkPipeline pipeline = m_device.createGraphics();
    const uint32_t front = flagInFront(pipeline);
    const VkIndirectCommandsLayoutNV layout = createLayout();
    for (uint32_t seed = 0; seed < 8; ++seed) {
        const std::vector<uint32_t> words = records(seed);
        const VkIndirectCommandsStreamNV stream{m_generated.createStream(words).handle, 0};
        VkGeneratedCommandsMemoryRequirementsInfoNV ask{
            VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_NV};
        ask.pipeline = pipeline;
        ask.indirectCommandsLayout = layout;
        ask.maxSequencesCount = kSequences;
        VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
        m_device.get<PFN_vkGetGeneratedCommandsMemoryRequirementsNV>("vkGetGeneratedCommandsMemoryRequirementsNV")(
            m_device.handle, &ask, &requirements);
        VkGeneratedCommandsInfoNV info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_NV};
        info.pipeline = pipeline;
        info.indirectCommandsLayout = layout;
        info.streamCount = 1;
        info.pStreams = &stream;
        info.sequencesCount = kSequences;
        info.preprocessSize = requirements.memoryRequirements.size;
        info.preprocessBuffer = m_device.createBuffer(info.preprocessSize, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT).handle;
        const layertest::Image target = m_device.createTarget(kSide, kSide);
        const VkCommandBuffer cmd = m_device.begin();
        beginTarget(cmd, target);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        m_device.get<PFN_vkCmdExecuteGeneratedCommandsNV>("vkCmdExecuteGeneratedCommandsNV")(cmd, VK_FALSE, &info);
        EXPECT_EQ(finish(cmd, target), lastColor(words, front)) << "seed " << seed;
    }
    m_device.get<PFN_vkDestroyIndirectCommandsLayoutNV>("vkDestroyIndirectCommandsLayoutNV")(m_device.handle, layout,
                                                                                             nullptr);
}

}  // namespace

}  // namespace millrace::commandtest
