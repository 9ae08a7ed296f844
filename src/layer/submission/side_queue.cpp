// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/side_queue.h"

#include "layer/base/own_thread.h"
#include "layer/loader/device.h"

namespace millrace::layer {

QueuesWithSide::QueuesWithSide(const VkDeviceCreateInfo& createInfo, std::span<const VkQueueFamilyProperties> families)
    : m_infos(createInfo.pQueueCreateInfos, createInfo.pQueueCreateInfos + createInfo.queueCreateInfoCount)
{
    std::map<uint32_t, uint32_t> wanted;
    for (const VkDeviceQueueCreateInfo& info : m_infos)
        wanted[info.queueFamilyIndex] += info.queueCount;
    m_priorities.reserve(m_infos.size());
    for (VkDeviceQueueCreateInfo& info : m_infos) {
        const uint32_t family = info.queueFamilyIndex;
        if (info.flags != 0 || family >= families.size() || !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) ||
            wanted[family] >= families[family].queueCount)
            continue;
        // Of the same priority, so that what waits for it does not wait longer.
        std::vector<float>& priorities =
            m_priorities.emplace_back(info.pQueuePriorities, info.pQueuePriorities + info.queueCount);
        priorities.push_back(priorities.front());
        info.pQueuePriorities = priorities.data();
        m_added[family] = info.queueCount++;
    }
}

std::unique_ptr<SideQueue> SideQueue::create(Device& device, uint32_t family, uint32_t index)
{
    std::unique_ptr<SideQueue> side(new SideQueue(device));
    device.table.GetDeviceQueue(device.handle, family, index, &side->m_queue);
    // The loader does not see the queue; layers below need its dispatch pointer.
    const bool isAdopted =
        side->m_queue && (!device.setLoaderData || device.setLoaderData(device.handle, side->m_queue) == VK_SUCCESS);
    return isAdopted ? std::move(side) : nullptr;
}

VkResult SideQueue::submit(const VkSubmitInfo2& info)
{
    if (mustLeaveDriver())
        return VK_ERROR_DEVICE_LOST;
    const std::lock_guard lock(m_use);
    return m_device.table.QueueSubmit2(m_queue, 1, &info, VK_NULL_HANDLE);
}

}  // namespace millrace::layer
