// SPDX-License-Identifier: Apache-2.0
// VK_EXT_private_data for handles that the driver does not know.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace millrace::layer {

class PrivateData {
public:
    void set(uint64_t object, VkPrivateDataSlot slot, uint64_t value);
    uint64_t get(uint64_t object, VkPrivateDataSlot slot) const;
    void removeObject(uint64_t object);
    void removeSlot(VkPrivateDataSlot slot);

private:
    mutable std::mutex m_mutex;
    std::map<std::pair<uint64_t, VkPrivateDataSlot>, uint64_t> m_values;
};

}  // namespace millrace::layer
