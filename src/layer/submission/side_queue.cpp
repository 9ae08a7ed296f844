// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/side_queue.h"

#include "layer/base/own_thread.h"
#include "layer/loader/device.h"
#include "layer/recording/command_pool.h"
#include "runtime/host_memory.h"

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
    return isAdopted && side->recordSeeHost(family) == VK_SUCCESS ? std::move(side) : nullptr;
}

VkResult SideQueue::recordSeeHost(uint32_t family)
{
    const VkuDeviceDispatchTable& table = m_device.table;
    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.queueFamilyIndex = family;
    VkResult result = table.CreateCommandPool(m_device.handle, &poolInfo, runtime::hostMemory(), &m_pool);
    if (result != VK_SUCCESS)
        return result;
    m_device.names.set(VK_OBJECT_TYPE_COMMAND_POOL, m_pool, {"command pool of a side queue"});
    m_seeHost = allocateHidden(m_device, m_pool, "what the host wrote", VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    if (!m_seeHost)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    result = table.BeginCommandBuffer(m_seeHost, &begin);
    if (result != VK_SUCCESS)
        return result;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_HOST_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    table.CmdPipelineBarrier(m_seeHost, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier,
                             0, nullptr, 0, nullptr);
    return table.EndCommandBuffer(m_seeHost);
}

SideQueue::~SideQueue()
{
    if (m_pool)
        m_device.table.DestroyCommandPool(m_device.handle, m_pool, runtime::hostMemory());
}

VkResult SideQueue::submit(const VkSubmitInfo2& info)
{
    if (mustLeaveDriver())
        return VK_ERROR_DEVICE_LOST;
    const std::lock_guard lock(m_use);
    return m_device.table.QueueSubmit2(m_queue, 1, &info, VK_NULL_HANDLE);
}

}  // namespace millrace::layer
