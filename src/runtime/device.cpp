// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_impl.h"
#include "runtime/labels.h"

#include <algorithm>

namespace millrace::runtime {

namespace {

uint64_t largestLocalHeap(VkPhysicalDevice physical, const VkuInstanceDispatchTable& table)
{
    VkPhysicalDeviceMemoryProperties memory;
    table.GetPhysicalDeviceMemoryProperties(physical, &memory);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            bytes = std::max<uint64_t>(bytes, memory.memoryHeaps[i].size);
    return bytes;
}

}  // namespace

VkResult Device::create(VkInstance instance, VkPhysicalDevice physical, VkDevice device,
                        const VkuInstanceDispatchTable& instanceTable, const VkuDeviceDispatchTable& table,
                        const Settings& settings, std::unique_ptr<Device>& out)
{
    std::unique_ptr<Device> created(new Device);
    created->m_impl = std::make_unique<Impl>();
    Impl& impl = *created->m_impl;
    impl.device = device;
    impl.table = &table;
    impl.settings = settings;
    VkPhysicalDeviceProperties properties;
    instanceTable.GetPhysicalDeviceProperties(physical, &properties);
    impl.traits = traitsOf(properties.deviceType, largestLocalHeap(physical, instanceTable));
    if (settings.labels)
        impl.names = Names(device, table);
    VkResult result = impl.memory.create(instance, physical, device, instanceTable, table, impl.names);
    if (result == VK_SUCCESS)
        result = impl.meta.create(device, table, impl.names);
    if (result == VK_SUCCESS && canLabel(impl))
        created->observe(labelObservers(impl));
    if (result == VK_SUCCESS)
        out = std::move(created);
    return result;
}

Device::~Device() = default;

uint32_t Device::staticInvocations() const
{
    return m_impl->traits.staticInvocations;
}

uint64_t Device::maxScratchBytes() const
{
    return m_impl->settings.maxScratchBytes ? m_impl->settings.maxScratchBytes : m_impl->traits.maxScratchBytes;
}

void Device::observe(ObserverFactory factory)
{
    m_impl->observerFactories.push_back(std::move(factory));
}

}  // namespace millrace::runtime
