// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_impl.h"
#include "runtime/labels.h"
#include "runtime/residency.h"

#include <algorithm>
#include <thread>

namespace millrace::runtime {

namespace {

uint64_t askMostBufferBytes(VkPhysicalDevice physical, const VkuInstanceDispatchTable& table)
{
    VkPhysicalDeviceMaintenance3Properties memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceMaintenance4Properties buffer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, &memory};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &buffer};
    table.GetPhysicalDeviceProperties2(physical, &properties);
    return std::min(memory.maxMemoryAllocationSize, buffer.maxBufferSize);
}

void askMemory(VkPhysicalDevice physical, const VkuInstanceDispatchTable& table, DeviceFacts& facts)
{
    VkPhysicalDeviceMemoryProperties memory;
    table.GetPhysicalDeviceMemoryProperties(physical, &memory);
    uint64_t largest = 0;
    for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
        largest = std::max<uint64_t>(largest, memory.memoryHeaps[i].size);
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            facts.localBytes = std::max<uint64_t>(facts.localBytes, memory.memoryHeaps[i].size);
        else
            facts.hasOwnMemory = true;
    }
    const uint64_t most = std::min(askMostBufferBytes(physical, table), largest) >> 20;
    facts.mostBufferMib = static_cast<uint32_t>(std::clamp<uint64_t>(most, 1, UINT32_MAX));
}

DeviceFacts askDevice(VkPhysicalDevice physical, const VkuInstanceDispatchTable& table, const Settings& settings,
                      DeviceIdentity& identity)
{
    VkPhysicalDeviceIDProperties ids{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &ids};
    table.GetPhysicalDeviceProperties2(physical, &properties);
    std::copy_n(ids.deviceUUID, VK_UUID_SIZE, identity.begin());
    std::copy_n(ids.driverUUID, VK_UUID_SIZE, identity.begin() + VK_UUID_SIZE);
    const VkPhysicalDeviceLimits& limits = properties.properties.limits;
    DeviceFacts facts;
    facts.type = properties.properties.deviceType;
    facts.threads = std::max(std::thread::hardware_concurrency(), 1u);
    facts.maxGroupInvocations = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
    facts.integerBits = settings.int64 ? 64 : 32;
    facts.atomicBits = settings.int64Atomics ? 64 : 32;
    facts.subgroupOperations = settings.subgroupOperations;
    askMemory(physical, table, facts);
    return facts;
}

// Into the device's TraitChoice. Needs its memory and pipelines.
void choose(Device::Impl& impl, DeviceFacts facts, const IdleQueue& queue, const DeviceIdentity& identity)
{
    if (impl.settings.measures && isWorthMeasuring(facts)) {
        const Result<Residency> found = measureResidency(impl, queue, identity);
        if (found)
            facts.residency = *found;
        else
            impl.whyNotMeasured = found.error().message;
    }
    impl.choice = chooseTraits(facts, impl.settings.traits);
}

}  // namespace

VkResult Device::create(VkInstance instance, VkPhysicalDevice physical, VkDevice device,
                        const VkuInstanceDispatchTable& instanceTable, const VkuDeviceDispatchTable& table,
                        const Settings& settings, const IdleQueue& queue, std::unique_ptr<Device>& out)
{
    std::unique_ptr<Device> created(new Device);
    created->m_impl = std::make_unique<Impl>();
    Impl& impl = *created->m_impl;
    impl.device = device;
    impl.table = &table;
    impl.settings = settings;
    if (settings.labels)
        impl.names = Names(device, table);
    VkResult result = impl.memory.create(instance, physical, device, instanceTable, table, impl.names);
    DeviceIdentity identity{};
    const DeviceFacts facts = askDevice(physical, instanceTable, settings, identity);
    impl.choice = chooseTraits(facts, settings.traits);  // what can be measured is not
    if (result == VK_SUCCESS)
        result = impl.meta.create(device, table, impl.names, impl.choice.traits, facts.maxGroupInvocations);
    if (result == VK_SUCCESS) {
        impl.mostBufferBytes = askMostBufferBytes(physical, instanceTable);
        choose(impl, facts, queue, identity);
    }
    if (result == VK_SUCCESS && canLabel(impl))
        impl.observerFactories.push_back(labelObservers(impl));
    if (result == VK_SUCCESS)
        out = std::move(created);
    return result;
}

Device::~Device() = default;

VkResult Device::prepare()
{
    return m_impl->meta.prepare();
}

const TraitChoice& Device::traitChoice() const
{
    return m_impl->choice;
}

const std::string& Device::whyNotMeasured() const
{
    return m_impl->whyNotMeasured;
}

void Device::observe(ObserverFactory factory)
{
    m_impl->observerFactories.push_back(std::move(factory));
    m_impl->seesSteps = true;
}

}  // namespace millrace::runtime
