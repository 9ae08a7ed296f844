// SPDX-License-Identifier: Apache-2.0
#include "layer/submission/own_timeline.h"

#include "layer/base/own_thread.h"
#include "layer/loader/device.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

OwnTimeline::~OwnTimeline()
{
    if (m_semaphore)
        m_device.table.DestroySemaphore(m_device.handle, m_semaphore, runtime::hostMemory());
}

VkResult OwnTimeline::create()
{
    if (m_semaphore)
        return VK_SUCCESS;
    if (mustLeaveDriver())
        return VK_ERROR_DEVICE_LOST;
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
    const VkResult result = m_device.table.CreateSemaphore(m_device.handle, &info, runtime::hostMemory(), &m_semaphore);
    if (result == VK_SUCCESS)
        m_device.names.set(VK_OBJECT_TYPE_SEMAPHORE, m_semaphore, {m_name});
    return result;
}

VkSemaphoreSubmitInfo OwnTimeline::info(uint64_t value) const
{
    VkSemaphoreSubmitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    info.semaphore = m_semaphore;
    info.value = value;
    info.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    return info;
}

VkResult OwnTimeline::read(uint64_t& value) const
{
    return mustLeaveDriver() ? VK_ERROR_DEVICE_LOST
                             : m_device.table.GetSemaphoreCounterValue(m_device.handle, m_semaphore, &value);
}

VkResult OwnTimeline::wait(uint64_t value, uint64_t nanoseconds) const
{
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &m_semaphore;
    info.pValues = &value;
    return m_device.table.WaitSemaphores(m_device.handle, &info, nanoseconds);
}

VkResult OwnTimeline::signal(uint64_t value) const
{
    VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    info.semaphore = m_semaphore;
    info.value = value;
    return m_device.table.SignalSemaphore(m_device.handle, &info);
}

}  // namespace millrace::layer
