// SPDX-License-Identifier: Apache-2.0
#include "tools/info/mesh_limits.h"

#include <cstdint>

namespace millrace::tools {

std::string limitsBelowMinima(const VkPhysicalDeviceMeshShaderPropertiesEXT& limits)
{
    using Properties = VkPhysicalDeviceMeshShaderPropertiesEXT;
    struct Minimum {
        const char* name;
        uint32_t Properties::*member;
        uint32_t least;
    };
    // Others are the layer's own, or Vulkan 1.3 asks for as much of compute shaders.
    static constexpr Minimum kMinima[] = {
        {"maxTaskSharedMemorySize", &Properties::maxTaskSharedMemorySize, 32768},
        {"maxTaskPayloadAndSharedMemorySize", &Properties::maxTaskPayloadAndSharedMemorySize, 32768},
        {"maxMeshSharedMemorySize", &Properties::maxMeshSharedMemorySize, 28672},
        {"maxMeshPayloadAndSharedMemorySize", &Properties::maxMeshPayloadAndSharedMemorySize, 28672},
        {"maxMeshOutputComponents", &Properties::maxMeshOutputComponents, 128},
    };
    std::string out;
    for (const Minimum& minimum : kMinima)
        if (limits.*minimum.member < minimum.least)
            out += (out.empty() ? "" : ", ") + std::string(minimum.name) + ' ' +
                   std::to_string(limits.*minimum.member) + " of " + std::to_string(minimum.least);
    return out;
}

}  // namespace millrace::tools
