// SPDX-License-Identifier: Apache-2.0
// Creation structures of shader objects as the driver may see them.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "layer/loader/device.h"
#include "layer/objects/driver_stages.h"

namespace millrace::layer {

// For the time of a call. Without the flag of generated commands, and with push constants for stages that the driver
// knows.
class DriverShaders {
public:
    DriverShaders(const Device& device, std::span<const VkShaderCreateInfoEXT> infos)
        : m_infos(infos.begin(), infos.end())
    {
        for (VkShaderCreateInfoEXT& info : m_infos) {
            if (device.usesCommands())
                info.flags &= ~VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT;
            std::vector<VkPushConstantRange>& ranges =
                m_ranges.emplace_back(info.pPushConstantRanges, info.pPushConstantRanges + info.pushConstantRangeCount);
            for (VkPushConstantRange& range : ranges)
                range.stageFlags = driverPushStages(device, range.stageFlags);
            std::erase_if(ranges, [](const VkPushConstantRange& range) { return range.stageFlags == 0; });
            info.pushConstantRangeCount = static_cast<uint32_t>(ranges.size());
            info.pPushConstantRanges = ranges.data();
        }
    }
    DriverShaders(const DriverShaders&) = delete;
    DriverShaders& operator=(const DriverShaders&) = delete;

    const VkShaderCreateInfoEXT* data() const { return m_infos.data(); }
    std::span<VkShaderCreateInfoEXT> infos() { return m_infos; }

private:
    std::vector<VkShaderCreateInfoEXT> m_infos;
    std::deque<std::vector<VkPushConstantRange>> m_ranges;
};

}  // namespace millrace::layer
