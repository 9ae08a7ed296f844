// SPDX-License-Identifier: Apache-2.0
// Render pass instances around dispatches of graphs with mesh nodes. They have no attachments.
#include "harness/runner.h"

namespace millrace::harness {

void Runner::createPass()
{
    VkSubpassDescription subpass{};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    check(vkCreateRenderPass(m_device.device, &info, nullptr, &m_pass), "vkCreateRenderPass");
    onDestroy([this] { vkDestroyRenderPass(m_device.device, m_pass, nullptr); });
    VkFramebufferCreateInfo framebuffer{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    framebuffer.renderPass = m_pass;
    framebuffer.width = framebuffer.height = m_side;
    framebuffer.layers = 1;
    check(vkCreateFramebuffer(m_device.device, &framebuffer, nullptr, &m_framebuffer), "vkCreateFramebuffer");
    onDestroy([this] { vkDestroyFramebuffer(m_device.device, m_framebuffer, nullptr); });
}

void Runner::beginRendering(VkCommandBuffer cmd) const
{
    const VkRect2D area{{}, {m_side, m_side}};
    if (m_pass) {
        VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
        info.renderPass = m_pass;
        info.framebuffer = m_framebuffer;
        info.renderArea = area;
        vkCmdBeginRenderPass(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
    } else if (m_side != 0) {
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.renderArea = area;
        info.layerCount = 1;
        vkCmdBeginRendering(cmd, &info);
    }
}

void Runner::endRendering(VkCommandBuffer cmd) const
{
    if (m_pass)
        vkCmdEndRenderPass(cmd);
    else if (m_side != 0)
        vkCmdEndRendering(cmd);
}

}  // namespace millrace::harness
