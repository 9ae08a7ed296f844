// SPDX-License-Identifier: Apache-2.0
// What mesh nodes draw into: rendering instances, one for each dispatch.
#pragma once

#include "tools/run/device_resources.h"

namespace millrace::tools::run {

class Target {
public:
    // All must outlive it; work.target is there. Throws DeviceError.
    Target(const Device& device, Memory& memory, const Work& work, const DeviceResources& resources);

    // Behind DeviceResources::recordUpload().
    void prepare(VkCommandBuffer commands) const;
    // The first instance of a run clears, the others go on with what is there.
    void begin(VkCommandBuffer commands, bool isFirst) const;
    void end(VkCommandBuffer commands) const;

private:
    VkRenderingAttachmentInfo colorAttachment(bool isFirst) const;
    VkRenderingAttachmentInfo depthAttachment(bool isFirst) const;

    const Device& m_device;
    const TargetDescription& m_description;
    VkExtent2D m_extent{};
    bool m_isFloat = false;  // of what shaders write
    VkClearColorValue m_clearColor{};
    const Image& m_result;             // with one sample
    const Image* m_samples = nullptr;  // null: of m_result alone
    const Image* m_depth = nullptr;
};

}  // namespace millrace::tools::run
