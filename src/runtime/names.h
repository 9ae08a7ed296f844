// SPDX-License-Identifier: Apache-2.0
// Names for objects of ours (VK_EXT_debug_utils), which tools show. docs/debugging.md lists them.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace millrace::runtime {

class Names {
public:
    // Without VK_EXT_debug_utils nothing is named.
    Names() = default;
    Names(VkDevice device, const VkuDeviceDispatchTable& table)
        : m_device(device), m_setName(table.SetDebugUtilsObjectNameEXT)
    {
    }

    // "Millrace: " and the parts.
    template <typename Handle>
    void set(VkObjectType type, Handle handle, std::initializer_list<std::string_view> parts) const
    {
        if (!m_setName || handle == VK_NULL_HANDLE)
            return;
        std::string text = "Millrace: ";
        for (std::string_view part : parts)
            text += part;
        VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
        info.objectType = type;
        if constexpr (std::is_pointer_v<Handle>)
            info.objectHandle = reinterpret_cast<uintptr_t>(handle);
        else
            info.objectHandle = handle;
        info.pObjectName = text.c_str();
        m_setName(m_device, &info);
    }

private:
    VkDevice m_device = VK_NULL_HANDLE;
    PFN_vkSetDebugUtilsObjectNameEXT m_setName = nullptr;
};

}  // namespace millrace::runtime
