// SPDX-License-Identifier: Apache-2.0
#include "drivers/memory_layer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <vector>

namespace millrace::layertest {

namespace {

constexpr uint32_t kTypeCount = 3;
constexpr uint32_t kNotCoherent = 1;
constexpr std::array<VkMemoryPropertyFlags, kTypeCount> kFlags = {
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
};
// What the driver's type must have that takes the place of each. That of type 1 is coherent, so that flushing and
// invalidating is a copy.
constexpr std::array<VkMemoryPropertyFlags, kTypeCount> kBelow = {
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
};

// Of the driver's types, those in the place of ours.
using Types = std::array<uint32_t, kTypeCount>;

// What the host sees of memory of type 1.
struct Copy {
    std::vector<std::byte> bytes;
    std::byte* memory = nullptr;  // all of it, while it is mapped
};

struct State {
    std::mutex mutex;
    std::map<void*, Types> types;  // by the key of the device
    std::map<VkDeviceMemory, Copy> copies;
};

State& state()
{
    static State& all = *new State;  // never destroyed, as the devices of loaded_layer.cpp
    return all;
}

Types typesBelow(const VkPhysicalDeviceMemoryProperties& driver)
{
    Types types{};
    for (uint32_t i = 0; i < kTypeCount; ++i)
        while (types[i] + 1 < driver.memoryTypeCount &&
               (driver.memoryTypes[types[i]].propertyFlags & kBelow[i]) != kBelow[i])
            ++types[i];
    return types;
}

Types typesOf(VkDevice handle)
{
    const std::lock_guard lock(state().mutex);
    return state().types.at(keyOf(handle));
}

void replaceTypes(VkPhysicalDeviceMemoryProperties& properties)
{
    const Types below = typesBelow(properties);
    VkPhysicalDeviceMemoryProperties out = properties;
    out.memoryTypeCount = kTypeCount;
    for (uint32_t i = 0; i < kTypeCount; ++i)
        out.memoryTypes[i] = {kFlags[i], properties.memoryTypes[below[i]].heapIndex};
    properties = out;
}

uint32_t ourBits(VkDevice handle, uint32_t driverBits)
{
    const Types below = typesOf(handle);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < kTypeCount; ++i)
        bits |= (driverBits >> below[i] & 1) << i;
    return bits;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice physical,
                                                             VkPhysicalDeviceMemoryProperties* out)
{
    instanceOf(physical).table.GetPhysicalDeviceMemoryProperties(physical, out);
    replaceTypes(*out);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceMemoryProperties2* out)
{
    instanceOf(physical).table.GetPhysicalDeviceMemoryProperties2(physical, out);
    replaceTypes(out->memoryProperties);
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice handle, VkBuffer buffer, VkMemoryRequirements* out)
{
    deviceOf(handle).table.GetBufferMemoryRequirements(handle, buffer, out);
    out->memoryTypeBits = ourBits(handle, out->memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL GetImageMemoryRequirements(VkDevice handle, VkImage image, VkMemoryRequirements* out)
{
    deviceOf(handle).table.GetImageMemoryRequirements(handle, image, out);
    out->memoryTypeBits = ourBits(handle, out->memoryTypeBits);
}

// Commands that ask the same of something that a structure describes.
template <auto Member, typename Info>
VKAPI_ATTR void VKAPI_CALL getRequirements(VkDevice handle, const Info* info, VkMemoryRequirements2* out)
{
    (deviceOf(handle).table.*Member)(handle, info, out);
    out->memoryRequirements.memoryTypeBits = ourBits(handle, out->memoryRequirements.memoryTypeBits);
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFdPropertiesKHR(VkDevice handle, VkExternalMemoryHandleTypeFlagBits type,
                                                        int fd, VkMemoryFdPropertiesKHR* out)
{
    const VkResult result = deviceOf(handle).table.GetMemoryFdPropertiesKHR(handle, type, fd, out);
    out->memoryTypeBits = ourBits(handle, out->memoryTypeBits);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryHostPointerPropertiesEXT(VkDevice handle,
                                                                 VkExternalMemoryHandleTypeFlagBits type,
                                                                 const void* host,
                                                                 VkMemoryHostPointerPropertiesEXT* out)
{
    const VkResult result = deviceOf(handle).table.GetMemoryHostPointerPropertiesEXT(handle, type, host, out);
    out->memoryTypeBits = ourBits(handle, out->memoryTypeBits);
    return result;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice handle, VkDeviceMemory memory, const VkAllocationCallbacks* allocator)
{
    {
        const std::lock_guard lock(state().mutex);
        state().copies.erase(memory);
    }
    deviceOf(handle).table.FreeMemory(handle, memory, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                         VkMemoryMapFlags flags, void** out)
{
    const std::lock_guard lock(state().mutex);
    const auto found = state().copies.find(memory);
    if (found == state().copies.end())
        return deviceOf(handle).table.MapMemory(handle, memory, offset, size, flags, out);
    Copy& copy = found->second;
    void* all = nullptr;
    const VkResult result = deviceOf(handle).table.MapMemory(handle, memory, 0, VK_WHOLE_SIZE, flags, &all);
    if (result != VK_SUCCESS)
        return result;
    copy.memory = static_cast<std::byte*>(all);
    *out = copy.bytes.data() + offset;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory2(VkDevice handle, const VkMemoryMapInfo* info, void** out)
{
    return MapMemory(handle, info->memory, info->offset, info->size, info->flags, out);
}

// Calls move(to the device's bytes, to the host's, how many) for each range.
template <typename Move>
VkResult moveRanges(uint32_t count, const VkMappedMemoryRange* ranges, const Move& move)
{
    const std::lock_guard lock(state().mutex);
    for (const VkMappedMemoryRange* range = ranges; range != ranges + count; ++range) {
        const auto found = state().copies.find(range->memory);
        if (found == state().copies.end())
            continue;  // coherent
        Copy& copy = found->second;
        const VkDeviceSize behind = copy.bytes.size() - range->offset;
        move(copy.memory + range->offset, copy.bytes.data() + range->offset, std::min(range->size, behind));
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice, uint32_t count, const VkMappedMemoryRange* ranges)
{
    return moveRanges(count, ranges, [](std::byte* device, const std::byte* host, VkDeviceSize bytes) {
        std::memcpy(device, host, bytes);
    });
}

VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice, uint32_t count, const VkMappedMemoryRange* ranges)
{
    return moveRanges(count, ranges, [](const std::byte* device, std::byte* host, VkDeviceSize bytes) {
        std::memcpy(host, device, bytes);
    });
}

template <typename Function>
PFN_vkVoidFunction pointer(Function* function)
{
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

template <auto Member, typename Info>
PFN_vkVoidFunction requirements()
{
    return pointer(&getRequirements<Member, Info>);
}

}  // namespace

const Functions& memoryFunctions()
{
    using T = VkuDeviceDispatchTable;
    static const Functions functions = {
        {"vkGetPhysicalDeviceMemoryProperties", pointer(GetPhysicalDeviceMemoryProperties)},
        {"vkGetPhysicalDeviceMemoryProperties2", pointer(GetPhysicalDeviceMemoryProperties2)},
        {"vkGetPhysicalDeviceMemoryProperties2KHR", pointer(GetPhysicalDeviceMemoryProperties2)},
        {"vkGetBufferMemoryRequirements", pointer(GetBufferMemoryRequirements)},
        {"vkGetImageMemoryRequirements", pointer(GetImageMemoryRequirements)},
        {"vkGetBufferMemoryRequirements2",
         requirements<&T::GetBufferMemoryRequirements2, VkBufferMemoryRequirementsInfo2>()},
        {"vkGetBufferMemoryRequirements2KHR",
         requirements<&T::GetBufferMemoryRequirements2KHR, VkBufferMemoryRequirementsInfo2>()},
        {"vkGetImageMemoryRequirements2",
         requirements<&T::GetImageMemoryRequirements2, VkImageMemoryRequirementsInfo2>()},
        {"vkGetImageMemoryRequirements2KHR",
         requirements<&T::GetImageMemoryRequirements2KHR, VkImageMemoryRequirementsInfo2>()},
        {"vkGetDeviceBufferMemoryRequirements",
         requirements<&T::GetDeviceBufferMemoryRequirements, VkDeviceBufferMemoryRequirements>()},
        {"vkGetDeviceBufferMemoryRequirementsKHR",
         requirements<&T::GetDeviceBufferMemoryRequirementsKHR, VkDeviceBufferMemoryRequirements>()},
        {"vkGetDeviceImageMemoryRequirements",
         requirements<&T::GetDeviceImageMemoryRequirements, VkDeviceImageMemoryRequirements>()},
        {"vkGetDeviceImageMemoryRequirementsKHR",
         requirements<&T::GetDeviceImageMemoryRequirementsKHR, VkDeviceImageMemoryRequirements>()},
        {"vkGetGeneratedCommandsMemoryRequirementsEXT",
         requirements<&T::GetGeneratedCommandsMemoryRequirementsEXT, VkGeneratedCommandsMemoryRequirementsInfoEXT>()},
        {"vkGetMemoryFdPropertiesKHR", pointer(GetMemoryFdPropertiesKHR)},
        {"vkGetMemoryHostPointerPropertiesEXT", pointer(GetMemoryHostPointerPropertiesEXT)},
        {"vkFreeMemory", pointer(FreeMemory)},
        {"vkMapMemory", pointer(MapMemory)},
        {"vkMapMemory2", pointer(MapMemory2)},
        {"vkMapMemory2KHR", pointer(MapMemory2)},
        {"vkFlushMappedMemoryRanges", pointer(FlushMappedMemoryRanges)},
        {"vkInvalidateMappedMemoryRanges", pointer(InvalidateMappedMemoryRanges)},
    };
    return functions;
}

VKAPI_ATTR VkResult VKAPI_CALL allocateOfThree(VkDevice handle, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkDeviceMemory* out)
{
    VkMemoryAllocateInfo below = *info;
    below.memoryTypeIndex = typesOf(handle).at(info->memoryTypeIndex);
    const VkResult result = deviceOf(handle).table.AllocateMemory(handle, &below, allocator, out);
    if (result != VK_SUCCESS || info->memoryTypeIndex != kNotCoherent)
        return result;
    const std::lock_guard lock(state().mutex);
    state().copies[*out].bytes.resize(info->allocationSize, std::byte{0xcc});
    return VK_SUCCESS;
}

void noteMemoryTypes(VkPhysicalDevice physical, VkDevice handle)
{
    VkPhysicalDeviceMemoryProperties driver;
    instanceOf(physical).table.GetPhysicalDeviceMemoryProperties(physical, &driver);
    const std::lock_guard lock(state().mutex);
    state().types[keyOf(handle)] = typesBelow(driver);
}

}  // namespace millrace::layertest
