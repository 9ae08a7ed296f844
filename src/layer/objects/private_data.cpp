// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/private_data.h"

#include "layer/loader/device.h"
#include "layer/objects/own_objects.h"

namespace millrace::layer {

void PrivateData::set(uint64_t object, VkPrivateDataSlot slot, uint64_t value)
{
    std::lock_guard lock(m_mutex);
    m_values[{object, slot}] = value;
}

uint64_t PrivateData::get(uint64_t object, VkPrivateDataSlot slot) const
{
    std::lock_guard lock(m_mutex);
    auto found = m_values.find({object, slot});
    return found == m_values.end() ? 0 : found->second;
}

void PrivateData::removeObject(uint64_t object)
{
    std::lock_guard lock(m_mutex);
    auto first = m_values.lower_bound({object, VkPrivateDataSlot{}});
    while (first != m_values.end() && first->first.first == object)
        first = m_values.erase(first);
}

void PrivateData::removeSlot(VkPrivateDataSlot slot)
{
    std::lock_guard lock(m_mutex);
    std::erase_if(m_values, [=](const auto& item) { return item.first.second == slot; });
}

namespace {

VkResult set(Device& device, PFN_vkSetPrivateData next, VkObjectType type, uint64_t object, VkPrivateDataSlot slot,
             uint64_t data)
{
    if (!isOurs(device, type, object))
        return next(device.handle, type, object, slot, data);
    device.privateData.set(object, slot, data);
    return VK_SUCCESS;
}

void get(Device& device, PFN_vkGetPrivateData next, VkObjectType type, uint64_t object, VkPrivateDataSlot slot,
         uint64_t* pData)
{
    if (isOurs(device, type, object))
        *pData = device.privateData.get(object, slot);
    else
        next(device.handle, type, object, slot, pData);
}

VKAPI_ATTR VkResult VKAPI_CALL SetPrivateData(VkDevice handle, VkObjectType objectType, uint64_t objectHandle,
                                              VkPrivateDataSlot slot, uint64_t data)
{
    Device& device = Device::of(handle);
    return set(device, device.table.SetPrivateData, objectType, objectHandle, slot, data);
}

VKAPI_ATTR VkResult VKAPI_CALL SetPrivateDataEXT(VkDevice handle, VkObjectType objectType, uint64_t objectHandle,
                                                 VkPrivateDataSlot slot, uint64_t data)
{
    Device& device = Device::of(handle);
    return set(device, device.table.SetPrivateDataEXT, objectType, objectHandle, slot, data);
}

VKAPI_ATTR void VKAPI_CALL GetPrivateData(VkDevice handle, VkObjectType objectType, uint64_t objectHandle,
                                          VkPrivateDataSlot slot, uint64_t* pData)
{
    Device& device = Device::of(handle);
    get(device, device.table.GetPrivateData, objectType, objectHandle, slot, pData);
}

VKAPI_ATTR void VKAPI_CALL GetPrivateDataEXT(VkDevice handle, VkObjectType objectType, uint64_t objectHandle,
                                             VkPrivateDataSlot slot, uint64_t* pData)
{
    Device& device = Device::of(handle);
    get(device, device.table.GetPrivateDataEXT, objectType, objectHandle, slot, pData);
}

VKAPI_ATTR void VKAPI_CALL DestroyPrivateDataSlot(VkDevice handle, VkPrivateDataSlot slot,
                                                  const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.privateData.removeSlot(slot);
    device.table.DestroyPrivateDataSlot(handle, slot, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL DestroyPrivateDataSlotEXT(VkDevice handle, VkPrivateDataSlot slot,
                                                     const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.privateData.removeSlot(slot);
    device.table.DestroyPrivateDataSlotEXT(handle, slot, pAllocator);
}

}  // namespace

EntryPoints privateDataEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(SetPrivateData, kUseState),         MILLRACE_ENTRY(SetPrivateDataEXT, kUseState),
        MILLRACE_ENTRY(GetPrivateData, kUseState),         MILLRACE_ENTRY(GetPrivateDataEXT, kUseState),
        MILLRACE_ENTRY(DestroyPrivateDataSlot, kUseState), MILLRACE_ENTRY(DestroyPrivateDataSlotEXT, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
