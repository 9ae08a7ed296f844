// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test: a driver that does in another order, or at another time, what Vulkan
// leaves open (shuffle_module.h, dispatch_order.h). MILLRACE_TEST_SHUFFLE is the seed. What it makes of a shader is
// validated; one that is not valid ends the process. MILLRACE_TEST_FAULT=num_workgroups puts a fault back, which tests
// have to find.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "layer/loaded_layer.h"
#include "shuffle/dispatch_order.h"
#include "shuffle/shuffle_module.h"
#include "spirv/tools.h"

namespace millrace::layertest {

namespace {

using shuffle::Dispatch;
using shuffle::DispatchOrder;
using Table = VkuDeviceDispatchTable;

// Shaders, and pipelines, as they are behind indirect dispatches.
struct Variants {
    std::mutex mutex;
    std::map<VkShaderModule, VkShaderModule> modules;
    std::map<VkPipeline, VkPipeline> pipelines;
    std::map<VkCommandBuffer, VkPipeline> bound;
    std::map<VkCommandBuffer, DispatchOrder> orders;
};

uint32_t seed()
{
    const char* text = std::getenv("MILLRACE_TEST_SHUFFLE");
    return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : 0;
}

Variants& variants()
{
    static Variants all;
    return all;
}

template <typename Map, typename Key>
auto take(Map& map, Key key)
{
    const std::lock_guard lock(variants().mutex);
    const auto node = map.extract(key);
    return node ? node.mapped() : typename Map::mapped_type{};
}

template <typename Map, typename Key>
auto find(const Map& map, Key key)
{
    const std::lock_guard lock(variants().mutex);
    const auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type{} : found->second;
}

// The fault: workgroups of a node go through their work in steps of NumWorkgroups behind an indirect dispatch. Today
// they do so behind direct dispatches alone, so those of nodes count as indirect ones.
bool isFaulty(std::span<const uint32_t> code)
{
    const char* const fault = std::getenv("MILLRACE_TEST_FAULT");
    return fault && std::string_view(fault) == "num_workgroups" && shuffle::isNode(code);
}

std::vector<uint32_t> shuffled(const VkShaderModuleCreateInfo& info, Dispatch dispatch)
{
    const std::span<const uint32_t> code(info.pCode, info.codeSize / 4);
    std::vector<uint32_t> out = shuffle::shuffleModule(code, seed(), dispatch);
    if (const Status valid = spirv::validate(out); !valid && spirv::validate(code)) {
        std::fprintf(stderr, "the shuffled shader is not valid: %s\n", valid.error().text().c_str());
        std::abort();
    }
    return out;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator, VkShaderModule* out)
{
    const DeviceBelow& device = deviceOf(handle);
    const auto create = [&](Dispatch dispatch, VkShaderModule* module) {
        const std::vector<uint32_t> words = shuffled(*info, dispatch);
        VkShaderModuleCreateInfo own = *info;
        own.pCode = words.data();
        own.codeSize = words.size() * 4;
        return device.table.CreateShaderModule(handle, &own, allocator, module);
    };
    const bool faulty = isFaulty({info->pCode, info->codeSize / 4});
    const VkResult result = create(faulty ? Dispatch::Indirect : Dispatch::Direct, out);
    VkShaderModule indirect = VK_NULL_HANDLE;
    if (result != VK_SUCCESS || create(Dispatch::Indirect, &indirect) != VK_SUCCESS)
        return result;
    const std::lock_guard lock(variants().mutex);
    variants().modules[*out] = indirect;
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice handle, VkShaderModule module,
                                               const VkAllocationCallbacks* allocator)
{
    const DeviceBelow& device = deviceOf(handle);
    device.table.DestroyShaderModule(handle, take(variants().modules, module), allocator);
    device.table.DestroyShaderModule(handle, module, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    const DeviceBelow& device = deviceOf(handle);
    const VkResult result = device.table.CreateComputePipelines(handle, cache, count, infos, allocator, out);
    for (uint32_t i = 0; i < count; ++i) {
        const VkShaderModule module = find(variants().modules, infos[i].stage.module);
        if (!module || !out[i])
            continue;
        VkComputePipelineCreateInfo info = infos[i];
        info.stage.module = module;
        info.flags &= ~VkPipelineCreateFlags{VK_PIPELINE_CREATE_DERIVATIVE_BIT};
        VkPipeline pipeline = VK_NULL_HANDLE;
        if (device.table.CreateComputePipelines(handle, cache, 1, &info, allocator, &pipeline) != VK_SUCCESS)
            continue;
        const std::lock_guard lock(variants().mutex);
        variants().pipelines[out[i]] = pipeline;
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice handle, VkPipeline pipeline, const VkAllocationCallbacks* allocator)
{
    const DeviceBelow& device = deviceOf(handle);
    device.table.DestroyPipeline(handle, take(variants().pipelines, pipeline), allocator);
    device.table.DestroyPipeline(handle, pipeline, allocator);
}

// Recorded by one thread at a time, so only finding it needs the lock.
DispatchOrder& orderOf(VkCommandBuffer commandBuffer)
{
    const std::lock_guard lock(variants().mutex);
    return variants().orders[commandBuffer];
}

enum Part : uint64_t { kPipeline, kSets, kPushConstants };

uint64_t partOf(Part part, uint64_t first, uint64_t count)
{
    return static_cast<uint64_t>(part) << 60 | first << 30 | count;
}

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer commandBuffer, const VkCommandBufferBeginInfo* info)
{
    constexpr uint32_t kBitOfDispatches = 4;
    orderOf(commandBuffer) = DispatchOrder(seed() >> kBitOfDispatches & 1);
    return deviceOf(commandBuffer).table.BeginCommandBuffer(commandBuffer, info);
}

VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer commandBuffer)
{
    orderOf(commandBuffer).flush();
    return deviceOf(commandBuffer).table.EndCommandBuffer(commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint,
                                           VkPipeline pipeline)
{
    const auto bind = [=] { deviceOf(commandBuffer).table.CmdBindPipeline(commandBuffer, bindPoint, pipeline); };
    if (bindPoint != VK_PIPELINE_BIND_POINT_COMPUTE) {
        bind();
        return;
    }
    orderOf(commandBuffer).set(partOf(kPipeline, 0, 0), bind);
    const std::lock_guard lock(variants().mutex);
    variants().bound[commandBuffer] = pipeline;
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet* sets, uint32_t dynamicCount,
                                                 const uint32_t* dynamicOffsets)
{
    const auto bind = [=, all = std::vector(sets, sets + count),
                       offsets = std::vector(dynamicOffsets, dynamicOffsets + dynamicCount)] {
        deviceOf(commandBuffer)
            .table.CmdBindDescriptorSets(commandBuffer, bindPoint, layout, first, count, all.data(), dynamicCount,
                                         offsets.data());
    };
    if (bindPoint == VK_PIPELINE_BIND_POINT_COMPUTE)
        orderOf(commandBuffer).set(partOf(kSets, first, count), bind);
    else
        bind();
}

VKAPI_ATTR void VKAPI_CALL CmdPushConstants(VkCommandBuffer commandBuffer, VkPipelineLayout layout,
                                            VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                            const void* values)
{
    const auto* bytes = static_cast<const uint8_t*>(values);
    orderOf(commandBuffer).set(partOf(kPushConstants, offset, size), [=, all = std::vector(bytes, bytes + size)] {
        deviceOf(commandBuffer).table.CmdPushConstants(commandBuffer, layout, stages, offset, size, all.data());
    });
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer commandBuffer, uint32_t x, uint32_t y, uint32_t z)
{
    orderOf(commandBuffer).dispatch([=] { deviceOf(commandBuffer).table.CmdDispatch(commandBuffer, x, y, z); });
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset)
{
    const VkPipeline bound = find(variants().bound, commandBuffer);
    const VkPipeline indirect = find(variants().pipelines, bound);
    orderOf(commandBuffer).dispatch([=] {
        const Table& table = deviceOf(commandBuffer).table;
        if (indirect)
            table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, indirect);
        table.CmdDispatchIndirect(commandBuffer, buffer, offset);
        if (indirect)
            table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, bound);
    });
}

// Commands that dispatches do not pass, and those that set state for them which nobody keeps.
template <auto Member, bool isState>
struct Behind;
template <typename... Args, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...), bool isState>
struct Behind<Member, isState> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer commandBuffer, Args... args)
    {
        DispatchOrder& order = orderOf(commandBuffer);
        if (isState)
            order.giveUp();
        else
            order.flush();
        (deviceOf(commandBuffer).table.*Member)(commandBuffer, args...);
    }
};

#define SHUFFLE_ENTRY(name)                                    \
    {                                                          \
        "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name) \
    }

}  // namespace

// clang-format off
#define SHUFFLE_BEHIND(name) \
    {"vkCmd" #name, reinterpret_cast<PFN_vkVoidFunction>(&Behind<&Table::Cmd##name, false>::call)}
#define SHUFFLE_STATE(name) \
    {"vkCmd" #name, reinterpret_cast<PFN_vkVoidFunction>(&Behind<&Table::Cmd##name, true>::call)}
// clang-format on

const Functions& ownFunctions()
{
    static const Functions functions = {
        SHUFFLE_ENTRY(CreateShaderModule),
        SHUFFLE_ENTRY(DestroyShaderModule),
        SHUFFLE_ENTRY(CreateComputePipelines),
        SHUFFLE_ENTRY(DestroyPipeline),
        SHUFFLE_ENTRY(BeginCommandBuffer),
        SHUFFLE_ENTRY(EndCommandBuffer),
        SHUFFLE_ENTRY(CmdBindPipeline),
        SHUFFLE_ENTRY(CmdBindDescriptorSets),
        SHUFFLE_ENTRY(CmdPushConstants),
        SHUFFLE_ENTRY(CmdDispatch),
        SHUFFLE_ENTRY(CmdDispatchIndirect),
        SHUFFLE_BEHIND(PipelineBarrier),
        SHUFFLE_BEHIND(PipelineBarrier2),
        SHUFFLE_BEHIND(PipelineBarrier2KHR),
        SHUFFLE_BEHIND(SetEvent),
        SHUFFLE_BEHIND(SetEvent2),
        SHUFFLE_BEHIND(ResetEvent),
        SHUFFLE_BEHIND(ResetEvent2),
        SHUFFLE_BEHIND(WaitEvents),
        SHUFFLE_BEHIND(WaitEvents2),
        SHUFFLE_BEHIND(CopyBuffer),
        SHUFFLE_BEHIND(CopyBuffer2),
        SHUFFLE_BEHIND(CopyBufferToImage),
        SHUFFLE_BEHIND(CopyImageToBuffer),
        SHUFFLE_BEHIND(CopyImage),
        SHUFFLE_BEHIND(BlitImage),
        SHUFFLE_BEHIND(ClearColorImage),
        SHUFFLE_BEHIND(FillBuffer),
        SHUFFLE_BEHIND(UpdateBuffer),
        SHUFFLE_BEHIND(BeginQuery),
        SHUFFLE_BEHIND(EndQuery),
        SHUFFLE_BEHIND(ResetQueryPool),
        SHUFFLE_BEHIND(WriteTimestamp),
        SHUFFLE_BEHIND(WriteTimestamp2),
        SHUFFLE_BEHIND(CopyQueryPoolResults),
        SHUFFLE_BEHIND(BeginRendering),
        SHUFFLE_BEHIND(BeginRenderingKHR),
        SHUFFLE_BEHIND(EndRendering),
        SHUFFLE_BEHIND(EndRenderingKHR),
        SHUFFLE_BEHIND(BeginRenderPass),
        SHUFFLE_BEHIND(BeginRenderPass2),
        SHUFFLE_BEHIND(EndRenderPass),
        SHUFFLE_BEHIND(EndRenderPass2),
        SHUFFLE_BEHIND(BeginConditionalRenderingEXT),
        SHUFFLE_BEHIND(EndConditionalRenderingEXT),
        SHUFFLE_BEHIND(ExecuteCommands),
        SHUFFLE_STATE(DispatchBase),
        SHUFFLE_STATE(BindDescriptorSets2),
        SHUFFLE_STATE(BindDescriptorSets2KHR),
        SHUFFLE_STATE(PushConstants2),
        SHUFFLE_STATE(PushConstants2KHR),
        SHUFFLE_STATE(PushDescriptorSet),
        SHUFFLE_STATE(PushDescriptorSetKHR),
        SHUFFLE_STATE(PushDescriptorSet2),
        SHUFFLE_STATE(PushDescriptorSet2KHR),
        SHUFFLE_STATE(PushDescriptorSetWithTemplate),
        SHUFFLE_STATE(PushDescriptorSetWithTemplateKHR),
        SHUFFLE_STATE(BindDescriptorBuffersEXT),
        SHUFFLE_STATE(SetDescriptorBufferOffsetsEXT),
        SHUFFLE_STATE(SetDescriptorBufferOffsets2EXT),
        SHUFFLE_STATE(BindShadersEXT),
    };
    return functions;
}

bool provides(const std::string&)
{
    return false;
}

}  // namespace millrace::layertest
