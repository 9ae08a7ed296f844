// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test: writes down labels, dispatches, submissions, objects and their names,
// and can pretend that the device is lost.
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "layer/loaded_layer.h"
#include "layer/recorder.h"

namespace millrace::layertest {

namespace {

using Table = VkuDeviceDispatchTable;

struct State {
    std::mutex mutex;
    std::vector<Event> events;
    std::map<VkCommandBuffer, std::vector<std::string>> labels;  // that are open
    std::string loseAt;                                          // label
    std::map<VkCommandBuffer, bool> stopped;
    bool lost = false;
    std::map<VkSemaphore, uint64_t> values;  // of timelines, as they were seen last
};

State& state()
{
    static State all;
    return all;
}

template <typename Handle>
uint64_t idOf(Handle handle)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<uintptr_t>(handle);
    else
        return handle;
}

template <typename Handle>
Table& tableOf(Handle handle)
{
    return deviceOf(handle).table;
}

template <typename Handle>
void note(Seen what, Handle object, const char* text = "", VkObjectType type = VK_OBJECT_TYPE_UNKNOWN)
{
    std::lock_guard lock(state().mutex);
    state().events.push_back({what, static_cast<uint32_t>(type), idOf(object), text, std::this_thread::get_id()});
}

// True if the command must not run, since the device was lost before it.
bool isStopped(VkCommandBuffer commandBuffer)
{
    std::lock_guard lock(state().mutex);
    return state().stopped[commandBuffer];
}

// Whether the device is to be lost in the dispatch that comes now.
bool losesHere(VkCommandBuffer commandBuffer)
{
    std::lock_guard lock(state().mutex);
    const std::vector<std::string>& labels = state().labels[commandBuffer];
    const bool here =
        !state().loseAt.empty() && !labels.empty() && labels.back().find(state().loseAt) != std::string::npos;
    if (here)
        state().stopped[commandBuffer] = true;
    return here;
}

void noteSubmission(VkCommandBuffer commandBuffer)
{
    note(Seen::Submit, commandBuffer);
    std::lock_guard lock(state().mutex);
    state().lost |= state().stopped[commandBuffer];
}

VkResult orLost(VkResult result)
{
    std::lock_guard lock(state().mutex);
    return state().lost && result >= 0 ? VK_ERROR_DEVICE_LOST : result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out)
{
    {
        std::lock_guard lock(state().mutex);
        state().lost = false;
        state().values.clear();
        state().loseAt.clear();
    }
    return createDevice(physical, info, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo* info)
{
    note(Seen::BeginCommandBuffer, handle);
    {
        std::lock_guard lock(state().mutex);
        state().labels[handle].clear();
        state().stopped[handle] = false;
    }
    return tableOf(handle).BeginCommandBuffer(handle, info);
}

VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer handle)
{
    note(Seen::EndCommandBuffer, handle);
    return tableOf(handle).EndCommandBuffer(handle);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginDebugUtilsLabelEXT(VkCommandBuffer handle, const VkDebugUtilsLabelEXT* label)
{
    note(Seen::BeginLabel, handle, label->pLabelName);
    {
        std::lock_guard lock(state().mutex);
        state().labels[handle].emplace_back(label->pLabelName);
    }
    tableOf(handle).CmdBeginDebugUtilsLabelEXT(handle, label);
}

VKAPI_ATTR void VKAPI_CALL CmdEndDebugUtilsLabelEXT(VkCommandBuffer handle)
{
    note(Seen::EndLabel, handle);
    {
        std::lock_guard lock(state().mutex);
        if (!state().labels[handle].empty())
            state().labels[handle].pop_back();
    }
    tableOf(handle).CmdEndDebugUtilsLabelEXT(handle);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    note(Seen::Dispatch, handle);
    if (!isStopped(handle) && !losesHere(handle))
        tableOf(handle).CmdDispatch(handle, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset)
{
    note(Seen::Dispatch, handle);
    if (!isStopped(handle) && !losesHere(handle))
        tableOf(handle).CmdDispatchIndirect(handle, buffer, offset);
}

VKAPI_ATTR void VKAPI_CALL CmdPipelineBarrier(VkCommandBuffer handle, VkPipelineStageFlags from,
                                              VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t memoryCount,
                                              const VkMemoryBarrier* memory, uint32_t bufferCount,
                                              const VkBufferMemoryBarrier* buffers, uint32_t imageCount,
                                              const VkImageMemoryBarrier* images)
{
    if (to & VK_PIPELINE_STAGE_HOST_BIT)
        note(Seen::HostBarrier, handle);
    tableOf(handle).CmdPipelineBarrier(handle, from, to, flags, memoryCount, memory, bufferCount, buffers, imageCount,
                                       images);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo* info)
{
    note(Seen::BeginRendering, handle);
    tableOf(handle).CmdBeginRendering(handle, info);
}

VKAPI_ATTR void VKAPI_CALL CmdFillBuffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                                         VkDeviceSize size, uint32_t data)
{
    if (!isStopped(handle))
        tableOf(handle).CmdFillBuffer(handle, buffer, offset, size, data);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t c = 0; c < submits[i].commandBufferCount; ++c)
            noteSubmission(submits[i].pCommandBuffers[c]);
    return tableOf(handle).QueueSubmit(handle, count, submits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue handle, uint32_t count, const VkSubmitInfo2* submits, VkFence fence)
{
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t c = 0; c < submits[i].commandBufferInfoCount; ++c)
            noteSubmission(submits[i].pCommandBufferInfos[c].commandBuffer);
    return tableOf(handle).QueueSubmit2(handle, count, submits, fence);
}

// The work is done before the device is called lost, so that nothing is in use when the test ends.
VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice handle, uint32_t count, const VkFence* fences, VkBool32 all,
                                             uint64_t timeout)
{
    const VkResult result = tableOf(handle).WaitForFences(handle, count, fences, all, timeout);
    note(Seen::Wait, handle);
    return orLost(result);
}

VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice handle, VkFence fence)
{
    const VkResult result = tableOf(handle).GetFenceStatus(handle, fence);
    if (result == VK_NOT_READY)
        return result;
    note(Seen::Wait, handle);
    return orLost(result);
}

// Once for each value that is seen first.
VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore, uint64_t* value)
{
    const VkResult result = tableOf(handle).GetSemaphoreCounterValue(handle, semaphore, value);
    {
        std::lock_guard lock(state().mutex);
        if (std::exchange(state().values[semaphore], *value) == *value)
            return result;
    }
    note(Seen::Wait, handle);
    return orLost(result);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* info, uint64_t timeout)
{
    const VkResult result = tableOf(handle).WaitSemaphores(handle, info, timeout);
    if (result == VK_TIMEOUT)
        return result;
    {
        std::lock_guard lock(state().mutex);
        for (uint32_t i = 0; i < info->semaphoreCount; ++i)
            state().values[info->pSemaphores[i]] = info->pValues[i];
    }
    note(Seen::Wait, handle);
    return orLost(result);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue handle)
{
    const VkResult result = tableOf(handle).QueueWaitIdle(handle);
    note(Seen::Wait, handle);
    return orLost(result);
}

VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice handle)
{
    const VkResult result = tableOf(handle).DeviceWaitIdle(handle);
    note(Seen::Wait, handle);
    return orLost(result);
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT* info)
{
    note(Seen::Name, info->objectHandle, info->pObjectName ? info->pObjectName : "", info->objectType);
    return tableOf(handle).SetDebugUtilsObjectNameEXT(handle, info);
}

// Commands that make one object from a structure.
template <auto Member, VkObjectType Type>
struct Create;
template <typename Info, typename Handle,
          VkResult (VKAPI_PTR* Table::*Member)(VkDevice, const Info*, const VkAllocationCallbacks*, Handle*),
          VkObjectType Type>
struct Create<Member, Type> {
    static VKAPI_ATTR VkResult VKAPI_CALL call(VkDevice device, const Info* info,
                                               const VkAllocationCallbacks* allocator, Handle* out)
    {
        const VkResult result = (tableOf(device).*Member)(device, info, allocator, out);
        if (result == VK_SUCCESS)
            note(Seen::Create, *out, "", Type);
        return result;
    }
};

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    const VkResult result = tableOf(device).CreateComputePipelines(device, cache, count, infos, allocator, out);
    for (uint32_t i = 0; i < count; ++i)
        if (out[i])
            note(Seen::Create, out[i], "", VK_OBJECT_TYPE_PIPELINE);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* out)
{
    const VkResult result = tableOf(device).AllocateCommandBuffers(device, info, out);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; ++i)
        note(Seen::Create, out[i], "", VK_OBJECT_TYPE_COMMAND_BUFFER);
    return result;
}

#define RECORDER_ENTRY(name)                                   \
    {                                                          \
        "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name) \
    }
#define RECORDER_CREATE(name, type)                                                                          \
    {                                                                                                        \
        "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(&Create<&Table::name, VK_OBJECT_TYPE_##type>::call) \
    }

}  // namespace

const Functions& ownFunctions()
{
    static const Functions functions = {
        RECORDER_ENTRY(CreateDevice),
        RECORDER_ENTRY(BeginCommandBuffer),
        RECORDER_ENTRY(EndCommandBuffer),
        RECORDER_ENTRY(CmdBeginDebugUtilsLabelEXT),
        RECORDER_ENTRY(CmdEndDebugUtilsLabelEXT),
        RECORDER_ENTRY(CmdDispatch),
        RECORDER_ENTRY(CmdDispatchIndirect),
        RECORDER_ENTRY(CmdPipelineBarrier),
        RECORDER_ENTRY(CmdBeginRendering),
        RECORDER_ENTRY(CmdFillBuffer),
        RECORDER_ENTRY(QueueSubmit),
        RECORDER_ENTRY(QueueSubmit2),
        RECORDER_ENTRY(WaitForFences),
        RECORDER_ENTRY(GetFenceStatus),
        RECORDER_ENTRY(GetSemaphoreCounterValue),
        RECORDER_ENTRY(WaitSemaphores),
        RECORDER_ENTRY(QueueWaitIdle),
        RECORDER_ENTRY(DeviceWaitIdle),
        RECORDER_ENTRY(SetDebugUtilsObjectNameEXT),
        RECORDER_ENTRY(CreateComputePipelines),
        RECORDER_ENTRY(AllocateCommandBuffers),
        RECORDER_CREATE(CreateShaderModule, SHADER_MODULE),
        RECORDER_CREATE(CreatePipelineLayout, PIPELINE_LAYOUT),
        RECORDER_CREATE(CreateBuffer, BUFFER),
        RECORDER_CREATE(AllocateMemory, DEVICE_MEMORY),
        RECORDER_CREATE(CreateCommandPool, COMMAND_POOL),
        RECORDER_CREATE(CreateFence, FENCE),
        RECORDER_CREATE(CreateSemaphore, SEMAPHORE),
        RECORDER_CREATE(CreateImage, IMAGE),
        RECORDER_CREATE(CreateQueryPool, QUERY_POOL),
        RECORDER_CREATE(CreateDescriptorSetLayout, DESCRIPTOR_SET_LAYOUT),
        RECORDER_CREATE(CreateDescriptorPool, DESCRIPTOR_POOL),
    };
    return functions;
}

bool provides(const std::string&)
{
    return false;
}

#define RECORDER_EXPORT extern "C" __attribute__((visibility("default")))

RECORDER_EXPORT void millraceRecorderTake(void (*visit)(const Event& event, void* user), void* user)
{
    std::vector<Event> events;
    {
        std::lock_guard lock(state().mutex);
        events.swap(state().events);
    }
    for (const Event& event : events)
        visit(event, user);
}

RECORDER_EXPORT void millraceRecorderLoseDevice(const char* label)
{
    std::lock_guard lock(state().mutex);
    state().loseAt = label;
}

}  // namespace millrace::layertest
