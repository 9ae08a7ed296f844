// SPDX-License-Identifier: Apache-2.0
#include "tools/run/target.h"

#include <cstring>

#include "tools/run/json_data.h"
#include "tools/run/numbers.h"

namespace millrace::tools::run {

namespace {

// The first texel: all are the same.
VkClearColorValue clearColorOf(const Resource& resource)
{
    const ImageFormat& format = *resource.format;
    const Json texel = decodeJson(*format.texelType(), resource.initial.data(), format.texelBytes());
    VkClearColorValue out{};
    for (uint32_t c = 0; c < format.components; ++c) {
        const Json& value = texel.is_array() ? texel[c] : texel;
        if (format.isNormalized) {
            out.float32[c] = static_cast<float>(value.get<uint32_t>()) / 255;
        } else if (format.kind == DataType::Kind::Float) {
            // Infinity and the like are words.
            uint8_t bytes[sizeof(float)] = {};
            (void)scalarFromJson(*scalarType(DataType::Kind::Float, 32), value, bytes);
            std::memcpy(&out.float32[c], bytes, sizeof bytes);
        } else if (format.kind == DataType::Kind::Signed) {
            out.int32[c] = value.get<int32_t>();
        } else {
            out.uint32[c] = value.get<uint32_t>();
        }
    }
    return out;
}

VkAttachmentLoadOp loadOp(bool isFirst)
{
    return isFirst ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
}

}  // namespace

Target::Target(const Device& device, Memory& memory, const Work& work, const DeviceResources& resources)
    : m_device(device), m_description(*work.target), m_result(resources.image(work.target->resource))
{
    const Resource& resource = work.resources[m_description.resource];
    m_extent = {resource.width, resource.height};
    m_clearColor = clearColorOf(resource);
    m_isFloat = resource.format->shaderKind() == DataType::Kind::Float;
    if (m_description.samples > 1) {
        m_samples = &memory.createImage({resource.format->format, m_extent.width, m_extent.height,
                                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, m_description.samples});
    }
    if (m_description.depth) {
        m_depth = &memory.createImage({kDepthFormat, m_extent.width, m_extent.height,
                                       VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, m_description.samples,
                                       VK_IMAGE_ASPECT_DEPTH_BIT});
    }
}

void Target::prepare(VkCommandBuffer commands) const
{
    if (m_samples != nullptr)
        discardImage(m_device, commands, m_samples->handle, kDrawing);
    if (m_depth != nullptr)
        discardImage(m_device, commands, m_depth->handle, kDrawing, VK_IMAGE_ASPECT_DEPTH_BIT);
}

VkRenderingAttachmentInfo Target::colorAttachment(bool isFirst) const
{
    VkRenderingAttachmentInfo out{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    out.imageView = m_samples != nullptr ? m_samples->view : m_result.view;
    out.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    out.loadOp = loadOp(isFirst);
    out.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    out.clearValue.color = m_clearColor;
    if (m_samples != nullptr) {
        out.resolveMode = m_isFloat ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
        out.resolveImageView = m_result.view;
        out.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    return out;
}

VkRenderingAttachmentInfo Target::depthAttachment(bool isFirst) const
{
    VkRenderingAttachmentInfo out{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    out.imageView = m_depth->view;
    out.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    out.loadOp = loadOp(isFirst);
    out.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    out.clearValue.depthStencil.depth = *m_description.depth;
    return out;
}

void Target::begin(VkCommandBuffer commands, bool isFirst) const
{
    const VkRenderingAttachmentInfo color = colorAttachment(isFirst);
    VkRenderingAttachmentInfo depth{};
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea.extent = m_extent;
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    if (m_depth != nullptr) {
        depth = depthAttachment(isFirst);
        info.pDepthAttachment = &depth;
    }
    m_device.vk().CmdBeginRendering(commands, &info);
}

void Target::end(VkCommandBuffer commands) const
{
    m_device.vk().CmdEndRendering(commands);
}

}  // namespace millrace::tools::run
