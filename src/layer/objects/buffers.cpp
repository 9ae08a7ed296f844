// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/buffers.h"

#include <algorithm>

#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"

namespace millrace::layer {

UsageRules usageRules(const Device& device)
{
    return {device.emulatesMaintenance5(), device.usesCommands(), device.usesMesh(), device.usesTokenStreams(),
            device.usesMesh() && device.enabled.meshShaderQueries};
}

namespace {

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice handle, const VkBufferCreateInfo* pCreateInfo,
                                            const VkAllocationCallbacks* pAllocator, VkBuffer* pBuffer)
{
    Device& device = Device::of(handle);
    const DriverBufferUsage info(*pCreateInfo, usageRules(device));
    const VkResult result = device.table.CreateBuffer(handle, info.get(), pAllocator, pBuffer);
    device.tellLost("vkCreateBuffer", info.lost());
    if (result == VK_SUCCESS && device.keepsAddresses())
        rememberOrUndo([&] { device.table.DestroyBuffer(handle, *pBuffer, pAllocator); },
                       [&] { device.addressedBuffers.created(*pBuffer, *pCreateInfo, info.usage()); });
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice handle, VkBuffer buffer, const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    if (device.keepsAddresses())
        device.addressedBuffers.destroyed(buffer);
    device.table.DestroyBuffer(handle, buffer, pAllocator);
}

// What drivers may read behind the last draw in a stream (Support::readsWholeStrides): more than the largest stride.
constexpr VkDeviceSize kReadBehind = 4096;

// True if memory may be larger than the application asks for: nobody else has it, and no image is all of it.
bool mayBeLarger(const PatchedChain& chain, const VkMemoryAllocateInfo& info)
{
    const auto* dedicated = chain.find<VkMemoryDedicatedAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
    if (dedicated && dedicated->image)
        return false;
    constexpr VkStructureType kOwn[] = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                        VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT};
    for (auto* next = static_cast<const VkBaseInStructure*>(info.pNext); next; next = next->pNext)
        if (std::ranges::count(kOwn, next->sType) == 0)
            return false;
    return true;
}

// Any may be for a vertex buffer, which has an address (driverBufferUsage()), or for a stream.
VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* pInfo,
                                              const VkAllocationCallbacks* pAllocator, VkDeviceMemory* pMemory)
{
    constexpr VkStructureType kType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    Device& device = Device::of(handle);
    PatchedChain chain(pInfo->pNext);
    auto* flags = chain.change<VkMemoryAllocateFlagsInfo>(kType);
    if (!flags)
        flags = chain.add<VkMemoryAllocateFlagsInfo>(kType);
    flags->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo info = *pInfo;
    info.pNext = chain.get();
    device.tellLost("vkAllocateMemory", chain.lost());
    if (device.support.readsWholeStrides && mayBeLarger(chain, *pInfo)) {
        // Memory of one buffer has its size and no other (VUID-VkMemoryDedicatedAllocateInfo-buffer-02965).
        PatchedChain larger(chain.get());
        larger.remove(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
        VkMemoryAllocateInfo more = info;
        more.pNext = larger.get();
        more.allocationSize += kReadBehind;
        if (device.table.AllocateMemory(handle, &more, pAllocator, pMemory) == VK_SUCCESS)
            return VK_SUCCESS;
    }
    return device.table.AllocateMemory(handle, &info, pAllocator, pMemory);
}

template <auto Member>
VKAPI_ATTR VkDeviceAddress VKAPI_CALL getAddress(VkDevice handle, const VkBufferDeviceAddressInfo* pInfo)
{
    Device& device = Device::of(handle);
    const VkDeviceAddress address = (device.table.*Member)(handle, pInfo);
    if (device.keepsAddresses())
        device.addressedBuffers.addressed(pInfo->buffer, address);
    return address;
}

// A view's VkBufferUsageFlags2CreateInfo only narrows the buffer's usage: without it the view can do more.
VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice handle, const VkBufferViewCreateInfo* pCreateInfo,
                                                const VkAllocationCallbacks* pAllocator, VkBufferView* pView)
{
    constexpr VkStructureType kType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;
    Device& device = Device::of(handle);
    if (!device.emulatesMaintenance5() || !findInChain<VkBufferUsageFlags2CreateInfo>(pCreateInfo->pNext, kType))
        return device.table.CreateBufferView(handle, pCreateInfo, pAllocator, pView);
    PatchedChain chain(pCreateInfo->pNext);
    chain.remove(kType);
    VkBufferViewCreateInfo info = *pCreateInfo;
    info.pNext = chain.get();
    device.tellLost("vkCreateBufferView", chain.lost());
    return device.table.CreateBufferView(handle, &info, pAllocator, pView);
}

void getRequirements(Device& device, PFN_vkGetDeviceBufferMemoryRequirements next,
                     const VkDeviceBufferMemoryRequirements* pInfo, VkMemoryRequirements2* pRequirements)
{
    const DriverBufferUsage createInfo(*pInfo->pCreateInfo, usageRules(device));
    VkDeviceBufferMemoryRequirements info = *pInfo;
    info.pCreateInfo = createInfo.get();
    device.tellLost("vkGetDeviceBufferMemoryRequirements", createInfo.lost());
    next(device.handle, &info, pRequirements);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirements(VkDevice handle,
                                                             const VkDeviceBufferMemoryRequirements* pInfo,
                                                             VkMemoryRequirements2* pRequirements)
{
    Device& device = Device::of(handle);
    getRequirements(device, device.table.GetDeviceBufferMemoryRequirements, pInfo, pRequirements);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirementsKHR(VkDevice handle,
                                                                const VkDeviceBufferMemoryRequirements* pInfo,
                                                                VkMemoryRequirements2* pRequirements)
{
    Device& device = Device::of(handle);
    getRequirements(device, device.table.GetDeviceBufferMemoryRequirementsKHR, pInfo, pRequirements);
}

void getExternal(Instance& instance, PFN_vkGetPhysicalDeviceExternalBufferProperties next, VkPhysicalDevice physical,
                 const VkPhysicalDeviceExternalBufferInfo* pInfo, VkExternalBufferProperties* pProperties)
{
    const Support support = instance.support(physical);
    if (!support.emulated) {
        next(physical, pInfo, pProperties);
        return;
    }
    const DriverBufferUsage info(
        *pInfo, UsageRules{!support.maintenance5, support.generatedCommands && !support.commandsForMeshes});
    if (!info.lost().empty())
        instance.unknownStructures.tell(instance.messages, {}, "vkGetPhysicalDeviceExternalBufferProperties",
                                        info.lost(), kCannotCopy);
    next(physical, info.get(), pProperties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice physical,
                                                                     const VkPhysicalDeviceExternalBufferInfo* pInfo,
                                                                     VkExternalBufferProperties* pProperties)
{
    Instance& instance = Instance::of(physical);
    getExternal(instance, instance.table.GetPhysicalDeviceExternalBufferProperties, physical, pInfo, pProperties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalBufferPropertiesKHR(VkPhysicalDevice physical,
                                                                        const VkPhysicalDeviceExternalBufferInfo* pInfo,
                                                                        VkExternalBufferProperties* pProperties)
{
    Instance& instance = Instance::of(physical);
    getExternal(instance, instance.table.GetPhysicalDeviceExternalBufferPropertiesKHR, physical, pInfo, pProperties);
}

}  // namespace

EntryPoints externalBufferEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(GetPhysicalDeviceExternalBufferProperties, kUseAlways),
        MILLRACE_ENTRY(GetPhysicalDeviceExternalBufferPropertiesKHR, kUseAlways),
    };
    return entries;
}

EntryPoints bufferEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateBuffer, kUseExtension | kUseMaintenance5 | kUseCommands | kUseMesh),
        MILLRACE_ENTRY(DestroyBuffer, kUseState),
        MILLRACE_ENTRY(AllocateMemory, kUseCommands),
        {"vkGetBufferDeviceAddress", guarded<&getAddress<&VkuDeviceDispatchTable::GetBufferDeviceAddress>>(),
         kUseState},
        {"vkGetBufferDeviceAddressKHR", guarded<&getAddress<&VkuDeviceDispatchTable::GetBufferDeviceAddressKHR>>(),
         kUseState},
        {"vkGetBufferDeviceAddressEXT", guarded<&getAddress<&VkuDeviceDispatchTable::GetBufferDeviceAddressEXT>>(),
         kUseState},
        MILLRACE_ENTRY(CreateBufferView, kUseMaintenance5),
        MILLRACE_ENTRY(GetDeviceBufferMemoryRequirements, kUseExtension | kUseMaintenance5 | kUseCommands | kUseMesh),
        MILLRACE_ENTRY(GetDeviceBufferMemoryRequirementsKHR,
                       kUseExtension | kUseMaintenance5 | kUseCommands | kUseMesh),
    };
    return entries;
}

}  // namespace millrace::layer
