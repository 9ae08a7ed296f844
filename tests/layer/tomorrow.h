// SPDX-License-Identifier: Apache-2.0
// An extension that is newer than any header: what an application includes to use it, and what the layer that
// implements it (tomorrow_layer.cpp, below the one under test) has seen.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#define VK_EXT_TOMORROW_EXTENSION_NAME "VK_EXT_tomorrow"

// Extends whatever has a chain.
inline constexpr auto VK_STRUCTURE_TYPE_TOMORROW_EXT = static_cast<VkStructureType>(1009990000);
inline constexpr auto VK_STRUCTURE_TYPE_MORE_TOMORROW_EXT = static_cast<VkStructureType>(1009990001);

struct VkTomorrowEXT {
    VkStructureType sType = VK_STRUCTURE_TYPE_TOMORROW_EXT;
    const void* pNext = nullptr;
    uint32_t valueCount = 0;
    const uint32_t* pValues = nullptr;
    uint32_t large[100] = {};
};

struct VkMoreTomorrowEXT {
    VkStructureType sType = VK_STRUCTURE_TYPE_MORE_TOMORROW_EXT;
    const void* pNext = nullptr;
    uint64_t value = 0;
};

// More arguments than there are registers for them, of both sorts.
typedef void(VKAPI_PTR* PFN_vkCmdTomorrowEXT)(VkCommandBuffer commandBuffer, uint32_t a, float b,
                                              const VkTomorrowEXT* pTomorrow, uint64_t c, double d, VkDeviceSize e,
                                              uint32_t f, uint64_t g, float h, uint32_t i, double j, float k, float l,
                                              float m, float n, float o);
typedef void(VKAPI_PTR* PFN_vkCmdEndRenderingTomorrowEXT)(VkCommandBuffer commandBuffer, const void* pInfo);
typedef void(VKAPI_PTR* PFN_vkCmdBeginTomorrowEXT)(VkCommandBuffer commandBuffer);
typedef void(VKAPI_PTR* PFN_vkCmdEndTomorrowEXT)(VkCommandBuffer commandBuffer);
// Draws a triangle.
typedef void(VKAPI_PTR* PFN_vkCmdDrawTomorrowEXT)(VkCommandBuffer commandBuffer);
typedef VkResult(VKAPI_PTR* PFN_vkQueueTomorrowEXT)(VkQueue queue, uint32_t value);

namespace millrace::layertest {

inline constexpr char kTomorrow[] = "VK_LAYER_MILLRACE_test_tomorrow";

// One whose values are kTomorrowValue together.
VkTomorrowEXT tomorrow(const void* next = nullptr);
inline constexpr uint64_t kTomorrowValue = 326;

// A structure or a command of the extension that has arrived.
struct Arrival {
    std::string command;  // that it came with
    uint64_t value;       // of a VkTomorrowEXT the sum of its values, of a command that of its arguments
    uint64_t object;      // of commands: the command buffer or queue
};

using TakeArrivals = void (*)(void (*visit)(const Arrival& arrival, void* user), void* user);
// All since the last call. Requires: an instance with the layer exists.
std::vector<Arrival> takeArrivals();
// Of the structures that came with a command.
std::multiset<uint64_t> valuesOf(const std::vector<Arrival>& arrivals, const std::string& command);

}  // namespace millrace::layertest
