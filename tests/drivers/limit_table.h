// SPDX-License-Identifier: Apache-2.0
// Features and limits of a physical device by name, and where they are in the structures that a driver fills.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace millrace::drivers {

// A member of a structure that extends VkPhysicalDeviceProperties2 or VkPhysicalDeviceFeatures2, or of these two.
// Several structures may have members of one name, which mean the same.
struct Limit {
    enum Kind : uint8_t { Bool, Word, Long };
    // How a device has less: no more than a number, no less (an alignment, the largest subgroup), or fewer bits.
    enum Direction : uint8_t { AtMost, AtLeast, Bits };

    VkStructureType structure;
    const char* name;
    size_t offset;  // in the structure
    Kind kind;
    Direction direction;
    uint32_t count;  // of an array, else 1
};

// All that the headers know, from their registry. What a driver does whatever it says (its subgroups' size) is
// not among them, but the range in which it says that the size is.
std::span<const Limit> limits();

}  // namespace millrace::drivers
