// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test: a driver that does in another order, or at another time, what Vulkan
// leaves open (shuffle_module.h). MILLRACE_TEST_SHUFFLE is the seed. What it makes of a shader is validated; one that
// is not valid ends the process.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>

#include "layer/loaded_layer.h"
#include "shuffle/shuffle_module.h"
#include "spirv/tools.h"

namespace millrace::layertest {

namespace {

using shuffle::Dispatch;

// Shaders, and pipelines, as they are behind indirect dispatches.
struct Variants {
    std::mutex mutex;
    std::map<VkShaderModule, VkShaderModule> modules;
    std::map<VkPipeline, VkPipeline> pipelines;
    std::map<VkCommandBuffer, VkPipeline> bound;
};

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

std::vector<uint32_t> shuffled(const VkShaderModuleCreateInfo& info, Dispatch dispatch)
{
    static const char* const seed = std::getenv("MILLRACE_TEST_SHUFFLE");
    const std::span<const uint32_t> code(info.pCode, info.codeSize / 4);
    std::vector<uint32_t> out =
        shuffle::shuffleModule(code, seed ? static_cast<uint32_t>(std::strtoul(seed, nullptr, 10)) : 0, dispatch);
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
    const VkResult result = create(Dispatch::Direct, out);
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

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint,
                                           VkPipeline pipeline)
{
    if (bindPoint == VK_PIPELINE_BIND_POINT_COMPUTE) {
        const std::lock_guard lock(variants().mutex);
        variants().bound[commandBuffer] = pipeline;
    }
    deviceOf(commandBuffer).table.CmdBindPipeline(commandBuffer, bindPoint, pipeline);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset)
{
    const auto& table = deviceOf(commandBuffer).table;
    const VkPipeline bound = find(variants().bound, commandBuffer);
    const VkPipeline indirect = find(variants().pipelines, bound);
    if (indirect)
        table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, indirect);
    table.CmdDispatchIndirect(commandBuffer, buffer, offset);
    if (indirect)
        table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, bound);
}

#define SHUFFLE_ENTRY(name)                                    \
    {                                                          \
        "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name) \
    }

}  // namespace

const Functions& ownFunctions()
{
    static const Functions functions = {
        SHUFFLE_ENTRY(CreateShaderModule), SHUFFLE_ENTRY(DestroyShaderModule), SHUFFLE_ENTRY(CreateComputePipelines),
        SHUFFLE_ENTRY(DestroyPipeline),    SHUFFLE_ENTRY(CmdBindPipeline),     SHUFFLE_ENTRY(CmdDispatchIndirect),
    };
    return functions;
}

bool provides(const std::string&)
{
    return false;
}

}  // namespace millrace::layertest
