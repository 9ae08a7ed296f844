// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <vector>

#include "spirv/specialization.h"

namespace millrace::layer {

// `info`: may be null.
inline std::vector<spirv::SpecializationValue> constantsOf(const VkSpecializationInfo* info)
{
    std::vector<spirv::SpecializationValue> values;
    for (uint32_t i = 0; info && i < info->mapEntryCount; ++i) {
        const VkSpecializationMapEntry& entry = info->pMapEntries[i];
        const auto* data = static_cast<const uint8_t*>(info->pData) + entry.offset;
        values.push_back({entry.constantID, {data, data + entry.size}});
    }
    return values;
}

}  // namespace millrace::layer
