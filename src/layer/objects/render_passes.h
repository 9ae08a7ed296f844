// SPDX-License-Identifier: Apache-2.0
// Render passes of the application, each with one of the layer's that is compatible with it.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <set>

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
};

}  // namespace millrace::layer
