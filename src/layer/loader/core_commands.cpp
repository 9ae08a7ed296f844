// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/core_commands.h"

#include <vulkan/vulkan.h>

#include <string_view>
#include <unordered_map>

namespace millrace::layer {

namespace {

using Versions = std::unordered_map<std::string_view, uint32_t>;

// Up to the version that the layer asks drivers for.
const Versions& versions()
{
    static const Versions& table = *new Versions{
        {"vkBindBufferMemory2", VK_API_VERSION_1_1},
        {"vkBindImageMemory2", VK_API_VERSION_1_1},
        {"vkGetDeviceGroupPeerMemoryFeatures", VK_API_VERSION_1_1},
        {"vkCmdSetDeviceMask", VK_API_VERSION_1_1},
        {"vkCmdDispatchBase", VK_API_VERSION_1_1},
        {"vkGetImageMemoryRequirements2", VK_API_VERSION_1_1},
        {"vkGetBufferMemoryRequirements2", VK_API_VERSION_1_1},
        {"vkGetImageSparseMemoryRequirements2", VK_API_VERSION_1_1},
        {"vkTrimCommandPool", VK_API_VERSION_1_1},
        {"vkGetDeviceQueue2", VK_API_VERSION_1_1},
        {"vkCreateSamplerYcbcrConversion", VK_API_VERSION_1_1},
        {"vkDestroySamplerYcbcrConversion", VK_API_VERSION_1_1},
        {"vkCreateDescriptorUpdateTemplate", VK_API_VERSION_1_1},
        {"vkDestroyDescriptorUpdateTemplate", VK_API_VERSION_1_1},
        {"vkUpdateDescriptorSetWithTemplate", VK_API_VERSION_1_1},
        {"vkGetDescriptorSetLayoutSupport", VK_API_VERSION_1_1},
        {"vkCmdDrawIndirectCount", VK_API_VERSION_1_2},
        {"vkCmdDrawIndexedIndirectCount", VK_API_VERSION_1_2},
        {"vkCreateRenderPass2", VK_API_VERSION_1_2},
        {"vkCmdBeginRenderPass2", VK_API_VERSION_1_2},
        {"vkCmdNextSubpass2", VK_API_VERSION_1_2},
        {"vkCmdEndRenderPass2", VK_API_VERSION_1_2},
        {"vkResetQueryPool", VK_API_VERSION_1_2},
        {"vkGetSemaphoreCounterValue", VK_API_VERSION_1_2},
        {"vkWaitSemaphores", VK_API_VERSION_1_2},
        {"vkSignalSemaphore", VK_API_VERSION_1_2},
        {"vkGetBufferDeviceAddress", VK_API_VERSION_1_2},
        {"vkGetBufferOpaqueCaptureAddress", VK_API_VERSION_1_2},
        {"vkGetDeviceMemoryOpaqueCaptureAddress", VK_API_VERSION_1_2},
        {"vkCreatePrivateDataSlot", VK_API_VERSION_1_3},
        {"vkDestroyPrivateDataSlot", VK_API_VERSION_1_3},
        {"vkSetPrivateData", VK_API_VERSION_1_3},
        {"vkGetPrivateData", VK_API_VERSION_1_3},
        {"vkCmdSetEvent2", VK_API_VERSION_1_3},
        {"vkCmdResetEvent2", VK_API_VERSION_1_3},
        {"vkCmdWaitEvents2", VK_API_VERSION_1_3},
        {"vkCmdPipelineBarrier2", VK_API_VERSION_1_3},
        {"vkCmdWriteTimestamp2", VK_API_VERSION_1_3},
        {"vkQueueSubmit2", VK_API_VERSION_1_3},
        {"vkCmdCopyBuffer2", VK_API_VERSION_1_3},
        {"vkCmdCopyImage2", VK_API_VERSION_1_3},
        {"vkCmdCopyBufferToImage2", VK_API_VERSION_1_3},
        {"vkCmdCopyImageToBuffer2", VK_API_VERSION_1_3},
        {"vkCmdBlitImage2", VK_API_VERSION_1_3},
        {"vkCmdResolveImage2", VK_API_VERSION_1_3},
        {"vkCmdBeginRendering", VK_API_VERSION_1_3},
        {"vkCmdEndRendering", VK_API_VERSION_1_3},
        {"vkCmdSetCullMode", VK_API_VERSION_1_3},
        {"vkCmdSetFrontFace", VK_API_VERSION_1_3},
        {"vkCmdSetPrimitiveTopology", VK_API_VERSION_1_3},
        {"vkCmdSetViewportWithCount", VK_API_VERSION_1_3},
        {"vkCmdSetScissorWithCount", VK_API_VERSION_1_3},
        {"vkCmdBindVertexBuffers2", VK_API_VERSION_1_3},
        {"vkCmdSetDepthTestEnable", VK_API_VERSION_1_3},
        {"vkCmdSetDepthWriteEnable", VK_API_VERSION_1_3},
        {"vkCmdSetDepthCompareOp", VK_API_VERSION_1_3},
        {"vkCmdSetDepthBoundsTestEnable", VK_API_VERSION_1_3},
        {"vkCmdSetStencilTestEnable", VK_API_VERSION_1_3},
        {"vkCmdSetStencilOp", VK_API_VERSION_1_3},
        {"vkCmdSetRasterizerDiscardEnable", VK_API_VERSION_1_3},
        {"vkCmdSetDepthBiasEnable", VK_API_VERSION_1_3},
        {"vkCmdSetPrimitiveRestartEnable", VK_API_VERSION_1_3},
        {"vkGetDeviceBufferMemoryRequirements", VK_API_VERSION_1_3},
        {"vkGetDeviceImageMemoryRequirements", VK_API_VERSION_1_3},
        {"vkGetDeviceImageSparseMemoryRequirements", VK_API_VERSION_1_3},
    };
    return table;
}

}  // namespace

uint32_t coreVersionOf(const char* name)
{
    const auto found = versions().find(name);
    return found == versions().end() ? VK_API_VERSION_1_0 : found->second;
}

}  // namespace millrace::layer
