// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test: implements an extension that is newer than all headers (tomorrow.h), by
// writing down what arrives. What is below it sees nothing of that.
#include "layer/tomorrow.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <numeric>
#include <span>
#include <type_traits>

#include "layer/loaded_layer.h"

namespace millrace::layertest {

namespace {

using Table = VkuDeviceDispatchTable;

struct State {
    std::mutex mutex;
    std::vector<Arrival> arrivals;
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

void note(const char* command, uint64_t value, uint64_t object = 0)
{
    std::lock_guard lock(state().mutex);
    state().arrivals.push_back({command, value, object});
}

uint64_t sum(const VkTomorrowEXT& tomorrow)
{
    return std::accumulate(tomorrow.pValues, tomorrow.pValues + tomorrow.valueCount, uint64_t{0}) + tomorrow.large[99];
}

// Notes and takes out what is in a chain, for the time of a call.
class Chain {
public:
    Chain(const char* command, const void* head)
    {
        // Whoever made the chain made it for this call.
        auto* item = static_cast<VkBaseOutStructure*>(const_cast<void*>(head));
        while (item->pNext) {
            VkBaseOutStructure* next = item->pNext;
            if (next->sType == VK_STRUCTURE_TYPE_TOMORROW_EXT)
                note(command, sum(*reinterpret_cast<const VkTomorrowEXT*>(next)));
            else if (next->sType == VK_STRUCTURE_TYPE_MORE_TOMORROW_EXT)
                note(command, reinterpret_cast<const VkMoreTomorrowEXT*>(next)->value);
            else {
                item = next;
                continue;
            }
            m_links.emplace_back(item, next);
            item->pNext = next->pNext;
        }
    }
    ~Chain()
    {
        for (auto link = m_links.rbegin(); link != m_links.rend(); ++link)
            link->first->pNext = link->second;
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

private:
    std::vector<std::pair<VkBaseOutStructure*, VkBaseOutStructure*>> m_links;
};

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* out)
{
    const Chain chain("vkCreateDevice", info);
    std::vector<const char*> extensions(info->ppEnabledExtensionNames,
                                        info->ppEnabledExtensionNames + info->enabledExtensionCount);
    std::erase_if(extensions, [](const char* name) { return std::string(name) == VK_EXT_TOMORROW_EXTENSION_NAME; });
    if (extensions.size() < info->enabledExtensionCount)
        note("VK_EXT_tomorrow", 1);
    VkDeviceCreateInfo below = *info;
    below.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    below.ppEnabledExtensionNames = extensions.data();
    return createDevice(physical, &below, allocator, out);
}

// Commands that take one structure with a chain.
template <auto Member, const char* kName>
struct OneChain;
template <typename Handle, typename Info, typename Return, typename... Args,
          Return (VKAPI_PTR* Table::*Member)(Handle, const Info*, Args...), const char* kName>
struct OneChain<Member, kName> {
    static VKAPI_ATTR Return VKAPI_CALL call(Handle handle, const Info* info, Args... args)
    {
        const Chain chain(kName, info);
        return (deviceOf(handle).table.*Member)(handle, info, args...);
    }
};

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    std::deque<Chain> chains;
    for (const VkComputePipelineCreateInfo& info : std::span(infos, count)) {
        chains.emplace_back("vkCreateComputePipelines", &info);
        chains.emplace_back("vkCreateComputePipelines, stage", &info.stage);
    }
    return deviceOf(device).table.CreateComputePipelines(device, cache, count, infos, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* infos,
                                                       const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    std::deque<Chain> chains;
    for (const VkGraphicsPipelineCreateInfo& info : std::span(infos, count)) {
        chains.emplace_back("vkCreateGraphicsPipelines", &info);
        for (const VkPipelineShaderStageCreateInfo& stage : std::span(info.pStages, info.stageCount))
            chains.emplace_back("vkCreateGraphicsPipelines, stage", &stage);
    }
    return deviceOf(device).table.CreateGraphicsPipelines(device, cache, count, infos, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShadersEXT(VkDevice device, uint32_t count, const VkShaderCreateInfoEXT* infos,
                                                const VkAllocationCallbacks* allocator, VkShaderEXT* out)
{
    std::deque<Chain> chains;
    for (const VkShaderCreateInfoEXT& info : std::span(infos, count))
        chains.emplace_back("vkCreateShadersEXT", &info);
    return deviceOf(device).table.CreateShadersEXT(device, count, infos, allocator, out);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo* info)
{
    const Chain chain("vkCmdBeginRendering", info);
    std::deque<Chain> attachments;
    for (const VkRenderingAttachmentInfo& color : std::span(info->pColorAttachments, info->colorAttachmentCount)) {
        attachments.emplace_back("vkCmdBeginRendering, attachment", &color);
        note("load", color.loadOp);
        note("store", color.storeOp);
    }
    deviceOf(handle).table.CmdBeginRendering(handle, info);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetKHR(VkCommandBuffer handle, VkPipelineBindPoint bindPoint,
                                                   VkPipelineLayout layout, uint32_t set, uint32_t count,
                                                   const VkWriteDescriptorSet* writes)
{
    std::deque<Chain> chains;
    for (const VkWriteDescriptorSet& write : std::span(writes, count))
        chains.emplace_back("vkCmdPushDescriptorSetKHR", &write);
    deviceOf(handle).table.CmdPushDescriptorSetKHR(handle, bindPoint, layout, set, count, writes);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    std::deque<Chain> chains;
    note("submission", count);
    for (const VkSubmitInfo& submit : std::span(submits, count))
        chains.emplace_back("vkQueueSubmit", &submit);
    return deviceOf(handle).table.QueueSubmit(handle, count, submits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue handle, uint32_t count, const VkSubmitInfo2* submits, VkFence fence)
{
    std::deque<Chain> chains;
    note("submission", count);
    for (const VkSubmitInfo2& submit : std::span(submits, count)) {
        chains.emplace_back("vkQueueSubmit", &submit);
        for (const VkCommandBufferSubmitInfo& info :
             std::span(submit.pCommandBufferInfos, submit.commandBufferInfoCount))
            chains.emplace_back("vkQueueSubmit2, command buffer", &info);
    }
    return deviceOf(handle).table.QueueSubmit2(handle, count, submits, fence);
}

VKAPI_ATTR void VKAPI_CALL CmdTomorrowEXT(VkCommandBuffer handle, uint32_t a, float b, const VkTomorrowEXT* tomorrow,
                                          uint64_t c, double d, VkDeviceSize e, uint32_t f, uint64_t g, float h,
                                          uint32_t i, double j, float k, float l, float m, float n, float o)
{
    const double floats =
        1.0 * b + 2.0 * d + 4.0 * h + 8.0 * j + 16.0 * k + 32.0 * l + 64.0 * m + 128.0 * n + 256.0 * o;
    note("vkCmdTomorrowEXT",
         a + 2 * c + 4 * e + 8 * f + 16 * g + 32 * i + sum(*tomorrow) + static_cast<uint64_t>(1000.0 * floats),
         idOf(handle));
}

VKAPI_ATTR void VKAPI_CALL CmdEndRenderingTomorrowEXT(VkCommandBuffer handle, const void*)
{
    note("vkCmdEndRenderingTomorrowEXT", 0, idOf(handle));
    deviceOf(handle).table.CmdEndRendering(handle);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginTomorrowEXT(VkCommandBuffer handle)
{
    note("vkCmdBeginTomorrowEXT", 0, idOf(handle));
}

VKAPI_ATTR void VKAPI_CALL CmdEndTomorrowEXT(VkCommandBuffer handle)
{
    note("vkCmdEndTomorrowEXT", 0, idOf(handle));
}

VKAPI_ATTR void VKAPI_CALL CmdDrawTomorrowEXT(VkCommandBuffer handle)
{
    note("vkCmdDrawTomorrowEXT", 0, idOf(handle));
    deviceOf(handle).table.CmdDraw(handle, 3, 1, 0, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueTomorrowEXT(VkQueue handle, uint32_t value)
{
    note("vkQueueTomorrowEXT", value, idOf(handle));
    return VK_SUCCESS;
}

// Command buffers that have ended.
VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer handle)
{
    note("vkEndCommandBuffer", 0, idOf(handle));
    return deviceOf(handle).table.EndCommandBuffer(handle);
}

#define TOMORROW_ENTRY(name)                                   \
    {                                                          \
        "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name) \
    }
#define TOMORROW_CHAIN(name)                                                                     \
    {                                                                                            \
        "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(&OneChain<&Table::name, k##name>::call) \
    }

constexpr int kManyCommands = 100;  // that all do the same

constexpr char kCreateBuffer[] = "vkCreateBuffer";
constexpr char kCreateBufferView[] = "vkCreateBufferView";
constexpr char kCreateShaderModule[] = "vkCreateShaderModule";
constexpr char kCreatePipelineLayout[] = "vkCreatePipelineLayout";
constexpr char kCreateDescriptorSetLayout[] = "vkCreateDescriptorSetLayout";
constexpr char kCreateSemaphore[] = "vkCreateSemaphore";
constexpr char kCreateCommandPool[] = "vkCreateCommandPool";
constexpr char kBeginCommandBuffer[] = "vkBeginCommandBuffer";
constexpr char kCmdPipelineBarrier2[] = "vkCmdPipelineBarrier2";
constexpr char kCmdBindDescriptorSets2KHR[] = "vkCmdBindDescriptorSets2KHR";
constexpr char kCmdPushConstants2KHR[] = "vkCmdPushConstants2KHR";

}  // namespace

const Functions& ownFunctions()
{
    static const Functions functions = [] {
        Functions all = {
            TOMORROW_ENTRY(CreateDevice),
            TOMORROW_ENTRY(CreateComputePipelines),
            TOMORROW_ENTRY(CreateGraphicsPipelines),
            TOMORROW_ENTRY(CreateShadersEXT),
            TOMORROW_ENTRY(CmdBeginRendering),
            TOMORROW_ENTRY(CmdPushDescriptorSetKHR),
            TOMORROW_ENTRY(QueueSubmit),
            TOMORROW_ENTRY(QueueSubmit2),
            TOMORROW_ENTRY(EndCommandBuffer),
            TOMORROW_CHAIN(CreateBuffer),
            TOMORROW_CHAIN(CreateBufferView),
            TOMORROW_CHAIN(CreateShaderModule),
            TOMORROW_CHAIN(CreatePipelineLayout),
            TOMORROW_CHAIN(CreateDescriptorSetLayout),
            TOMORROW_CHAIN(CreateSemaphore),
            TOMORROW_CHAIN(CreateCommandPool),
            TOMORROW_CHAIN(BeginCommandBuffer),
            TOMORROW_CHAIN(CmdPipelineBarrier2),
            TOMORROW_CHAIN(CmdBindDescriptorSets2KHR),
            TOMORROW_CHAIN(CmdPushConstants2KHR),
            TOMORROW_ENTRY(CmdTomorrowEXT),
            TOMORROW_ENTRY(CmdEndRenderingTomorrowEXT),
            TOMORROW_ENTRY(CmdBeginTomorrowEXT),
            TOMORROW_ENTRY(CmdEndTomorrowEXT),
            TOMORROW_ENTRY(CmdDrawTomorrowEXT),
            TOMORROW_ENTRY(QueueTomorrowEXT),
        };
        for (int i = 0; i < kManyCommands; ++i)
            all["vkCmdTomorrow" + std::to_string(i) + "EXT"] =
                reinterpret_cast<PFN_vkVoidFunction>(CmdBeginTomorrowEXT);
        return all;
    }();
    return functions;
}

bool provides(const std::string& name)
{
    return name.find("Tomorrow") != std::string::npos;
}

extern "C" __attribute__((visibility("default"))) void millraceTomorrowTake(void (*visit)(const Arrival& arrival,
                                                                                          void* user),
                                                                            void* user)
{
    std::vector<Arrival> arrivals;
    {
        std::lock_guard lock(state().mutex);
        arrivals.swap(state().arrivals);
    }
    for (const Arrival& arrival : arrivals)
        visit(arrival, user);
}

}  // namespace millrace::layertest
