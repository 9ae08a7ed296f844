// SPDX-License-Identifier: Apache-2.0
// Render passes of the application, each with those of the layer's that are compatible with it.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace millrace::layer {

struct Device;

// Variants of pipelines are made with it, when the application's own may be gone. Shared by the application's render
// pass and the pipelines made with it.
struct RenderPass {
    explicit RenderPass(Device& owner) : device(owner) {}
    ~RenderPass();
    RenderPass(const RenderPass&) = delete;
    RenderPass& operator=(const RenderPass&) = delete;

    Device& device;
    VkRenderPass handle = VK_NULL_HANDLE;  // null if the driver refused a second one
    // Subpasses in which what is drawn with a front has to wait for one before (recording/front.h).
    std::set<uint32_t> waiting;
    uint32_t subpassCount = 0;
    std::shared_ptr<std::vector<uint32_t>> viewMasks;  // of subpasses; null: there are no several views
    // The application's with all attachments stored, to be begun in its place where instances may have to be divided.
    // Null if its own does so, or if the end of an instance does more than that.
    VkRenderPass stored = VK_NULL_HANDLE;
    // Goes on with what an instance has left in its attachments, all of which were stored. Null if none does that.
    VkRenderPass again = VK_NULL_HANDLE;
};

// Of what a pipeline draws, by its render pass, the application's or one of the layer's, or by its dynamic rendering.
// 0: there are no several views.
uint32_t viewMaskOf(const Device& device, const VkGraphicsPipelineCreateInfo& info);

}  // namespace millrace::layer
