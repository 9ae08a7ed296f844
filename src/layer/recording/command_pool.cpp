// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/command_pool.h"

#include <algorithm>
#include <span>

#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

CommandPool::~CommandPool()
{
    for (VkCommandBuffer commandBuffer : commandBuffers)
        CommandBuffer::forget(commandBuffer);
    for (const VkCommandPool own : {m_hidden, late.handle})
        if (own)
            device.table.DestroyCommandPool(device.handle, own, runtime::hostMemory());
}

bool CommandPool::canCompute() const
{
    return queueFamily < device.queueFamilies.size() &&
           (device.queueFamilies[queueFamily].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT));
}

VkCommandPool CommandPool::getHidden()
{
    if (m_hidden)
        return m_hidden;
    VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    info.flags = flags & ~VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    info.queueFamilyIndex = queueFamily;
    if (device.table.CreateCommandPool(device.handle, &info, runtime::hostMemory(), &m_hidden) != VK_SUCCESS)
        m_hidden = VK_NULL_HANDLE;
    device.names.set(VK_OBJECT_TYPE_COMMAND_POOL, m_hidden, {"command pool"});
    return m_hidden;
}

VkCommandBuffer allocateHidden(const Device& device, VkCommandPool pool, const std::string& name,
                               VkCommandBufferLevel level)
{
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool;
    info.level = level;
    info.commandBufferCount = 1;
    VkCommandBuffer commandBuffer = VK_NULL_HANDLE;
    if (!pool || device.table.AllocateCommandBuffers(device.handle, &info, &commandBuffer) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    // The loader did not see this one being allocated; layers below and the loader need its dispatch pointer.
    if (device.setLoaderData && device.setLoaderData(device.handle, commandBuffer) != VK_SUCCESS) {
        device.table.FreeCommandBuffers(device.handle, pool, 1, &commandBuffer);
        return VK_NULL_HANDLE;
    }
    device.names.set(VK_OBJECT_TYPE_COMMAND_BUFFER, commandBuffer, {name});
    return commandBuffer;
}

VkCommandBuffer CommandPool::allocateHidden(const std::string& name, VkCommandBufferLevel level)
{
    return layer::allocateHidden(device, getHidden(), name, level);
}

void CommandPool::freeHidden(const std::vector<VkCommandBuffer>& list)
{
    if (!list.empty())
        device.table.FreeCommandBuffers(device.handle, m_hidden, static_cast<uint32_t>(list.size()), list.data());
}

void CommandPool::trimHidden(VkCommandPoolTrimFlags trimFlags)
{
    if (m_hidden)
        device.table.TrimCommandPool(device.handle, m_hidden, trimFlags);
}

void CommandPool::forget(VkCommandBuffer commandBuffer)
{
    commandBuffers.erase(commandBuffer);
    CommandBuffer::forget(commandBuffer);
}

namespace {

VKAPI_ATTR VkResult VKAPI_CALL CreateCommandPool(VkDevice handle, const VkCommandPoolCreateInfo* pCreateInfo,
                                                 const VkAllocationCallbacks* pAllocator, VkCommandPool* pCommandPool)
{
    Device& device = Device::of(handle);
    const VkResult result = device.table.CreateCommandPool(handle, pCreateInfo, pAllocator, pCommandPool);
    if (result == VK_SUCCESS)
        rememberOrUndo([&] { device.table.DestroyCommandPool(handle, *pCommandPool, pAllocator); },
                       [&] {
                           device.commandPools.insert(handleId(*pCommandPool),
                                                      std::make_shared<CommandPool>(device, *pCreateInfo));
                       });
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyCommandPool(VkDevice handle, VkCommandPool commandPool,
                                              const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.commandPools.remove(handleId(commandPool));
    device.table.DestroyCommandPool(handle, commandPool, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice handle, VkCommandPool commandPool,
                                                VkCommandPoolResetFlags flags)
{
    Device& device = Device::of(handle);
    if (CommandPool* pool = device.commandPools.find(handleId(commandPool)))
        for (VkCommandBuffer commandBuffer : pool->commandBuffers)
            CommandBuffer::of(commandBuffer).reset();
    return device.table.ResetCommandPool(handle, commandPool, flags);
}

void trim(Device& device, PFN_vkTrimCommandPool next, VkCommandPool commandPool, VkCommandPoolTrimFlags flags)
{
    if (CommandPool* pool = device.commandPools.find(handleId(commandPool)))
        pool->trimHidden(flags);
    next(device.handle, commandPool, flags);
}

VKAPI_ATTR void VKAPI_CALL TrimCommandPool(VkDevice handle, VkCommandPool commandPool, VkCommandPoolTrimFlags flags)
{
    Device& device = Device::of(handle);
    trim(device, device.table.TrimCommandPool, commandPool, flags);
}

VKAPI_ATTR void VKAPI_CALL TrimCommandPoolKHR(VkDevice handle, VkCommandPool commandPool, VkCommandPoolTrimFlags flags)
{
    Device& device = Device::of(handle);
    trim(device, device.table.TrimCommandPoolKHR, commandPool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice handle, const VkCommandBufferAllocateInfo* pInfo,
                                                      VkCommandBuffer* pCommandBuffers)
{
    Device& device = Device::of(handle);
    const VkResult result = device.table.AllocateCommandBuffers(handle, pInfo, pCommandBuffers);
    CommandPool* pool = device.commandPools.find(handleId(pInfo->commandPool));
    if (result != VK_SUCCESS || !pool)
        return result;
    const std::span<VkCommandBuffer> allocated(pCommandBuffers, pInfo->commandBufferCount);
    rememberOrUndo(
        [&] {
            for (VkCommandBuffer commandBuffer : allocated)
                pool->forget(commandBuffer);
            device.table.FreeCommandBuffers(handle, pInfo->commandPool, pInfo->commandBufferCount, pCommandBuffers);
            std::fill(allocated.begin(), allocated.end(), VkCommandBuffer{});
        },
        [&] {
            for (VkCommandBuffer commandBuffer : allocated) {
                pool->commandBuffers.insert(commandBuffer);
                CommandBuffer::remember(*pool, commandBuffer, pInfo->level == VK_COMMAND_BUFFER_LEVEL_PRIMARY);
            }
        });
    return result;
}

VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice handle, VkCommandPool commandPool, uint32_t count,
                                              const VkCommandBuffer* pCommandBuffers)
{
    Device& device = Device::of(handle);
    CommandPool* pool = device.commandPools.find(handleId(commandPool));
    for (uint32_t i = 0; pool && i < count; ++i)
        if (pCommandBuffers[i])
            pool->forget(pCommandBuffers[i]);
    device.table.FreeCommandBuffers(handle, commandPool, count, pCommandBuffers);
}

}  // namespace

EntryPoints commandPoolEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateCommandPool, kUseState),  MILLRACE_ENTRY(DestroyCommandPool, kUseState),
        MILLRACE_ENTRY(ResetCommandPool, kUseState),   MILLRACE_ENTRY(TrimCommandPool, kUseState),
        MILLRACE_ENTRY(TrimCommandPoolKHR, kUseState), MILLRACE_ENTRY(AllocateCommandBuffers, kUseState),
        MILLRACE_ENTRY(FreeCommandBuffers, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
