// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below the one under test: a driver whose subgroups have as many invocations in compute shaders as
// MILLRACE_TEST_SUBGROUPS says, a power of two up to 128 (subgroup_module.h). "varying", or "varying:SEED", gives each
// pipeline a size of its own, unless it asks for one. What is made of a shader is validated; one that is not valid ends
// the process.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "layer/loaded_layer.h"
#include "spirv/tools.h"
#include "subgroups/subgroup_module.h"

namespace millrace::layertest {

namespace {

using Words = std::vector<uint32_t>;

struct Sizes {
    uint32_t least = 1, most = subgroups::kMostInvocations;
    uint32_t seed = 0;
};

uint32_t parse(std::string_view text)
{
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : ~0u;
}

Sizes sizes()
{
    const char* const text = std::getenv("MILLRACE_TEST_SUBGROUPS");
    const std::string_view word = text ? text : "";
    if (word.starts_with("varying"))
        return {1, subgroups::kMostInvocations, word.size() > 8 ? parse(word.substr(8)) : 0};
    const uint32_t size = parse(word);
    if (!std::has_single_bit(size) || size > subgroups::kMostInvocations) {
        std::fprintf(stderr, "MILLRACE_TEST_SUBGROUPS=%s: a power of two up to %u, or varying\n", text ? text : "",
                     subgroups::kMostInvocations);
        std::abort();
    }
    return {size, size, 0};
}

struct Modules {
    std::mutex mutex;
    std::map<VkShaderModule, Words> words;
};

Modules& modules()
{
    static Modules& all = *new Modules;  // never destroyed: applications may destroy devices when the process ends
    return all;
}

template <typename Struct>
Struct* findIn(const void* chain, VkStructureType type)
{
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext)
        if (item->sType == type)
            return const_cast<Struct*>(reinterpret_cast<const Struct*>(item));
    return nullptr;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* out)
{
    instanceOf(physical).table.GetPhysicalDeviceProperties2(physical, out);
    const Sizes own = sizes();
    if (auto* found = findIn<VkPhysicalDeviceVulkan11Properties>(
            out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES))
        found->subgroupSize = own.most;
    if (auto* found = findIn<VkPhysicalDeviceSubgroupProperties>(out->pNext,
                                                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES))
        found->subgroupSize = own.most;
    const auto set = [&](auto* range) {
        if (!range)
            return;
        range->minSubgroupSize = own.least;
        range->maxSubgroupSize = own.most;
    };
    set(findIn<VkPhysicalDeviceVulkan13Properties>(out->pNext,
                                                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES));
    set(findIn<VkPhysicalDeviceSubgroupSizeControlProperties>(
        out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator, VkShaderModule* out)
{
    const VkResult result = deviceOf(handle).table.CreateShaderModule(handle, info, allocator, out);
    if (result != VK_SUCCESS)
        return result;
    const std::lock_guard lock(modules().mutex);
    modules().words[*out] = {info->pCode, info->pCode + info->codeSize / 4};
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice handle, VkShaderModule module,
                                               const VkAllocationCallbacks* allocator)
{
    {
        const std::lock_guard lock(modules().mutex);
        modules().words.erase(module);
    }
    deviceOf(handle).table.DestroyShaderModule(handle, module, allocator);
}

Words codeOf(const VkPipelineShaderStageCreateInfo& stage)
{
    if (const auto* inlined =
            findIn<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO))
        return {inlined->pCode, inlined->pCode + inlined->codeSize / 4};
    const std::lock_guard lock(modules().mutex);
    const auto found = modules().words.find(stage.module);
    return found == modules().words.end() ? Words() : found->second;
}

uint32_t sizeFor(const VkPipelineShaderStageCreateInfo& stage, std::span<const uint32_t> code)
{
    if (const auto* required = findIn<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
            stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
        return required->requiredSubgroupSize;
    const Sizes own = sizes();
    uint32_t hash = own.seed * 0x9e3779b9u;
    for (const uint32_t word : code)
        hash = (hash ^ word) * 0x01000193u;
    const uint32_t choices = static_cast<uint32_t>(std::bit_width(own.most / own.least));
    return own.least << (hash >> 8) % choices;
}

Words resized(const VkPipelineShaderStageCreateInfo& stage, const Words& code)
{
    Words out = subgroups::withSubgroups(code, sizeFor(stage, code));
    if (const Status valid = spirv::validate(out); !valid && spirv::validate(code)) {
        std::fprintf(stderr, "the shader with other subgroups is not valid: %s\n", valid.error().text().c_str());
        std::abort();
    }
    return out;
}

// The stage says nothing of subgroups any more: what it wanted it has.
class OwnStage {
public:
    OwnStage(VkDevice device, VkPipelineShaderStageCreateInfo& stage) : m_device(device)
    {
        const Words code = codeOf(stage);
        if (code.empty())
            return;
        const Words words = resized(stage, code);
        VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        info.pCode = words.data();
        info.codeSize = words.size() * 4;
        if (deviceOf(device).table.CreateShaderModule(device, &info, nullptr, &m_module) != VK_SUCCESS)
            return;
        stage.module = m_module;
        stage.flags &=
            ~VkPipelineShaderStageCreateFlags{VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT |
                                              VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT};
        while (stage.pNext && isOurs(static_cast<const VkBaseInStructure*>(stage.pNext)->sType))
            stage.pNext = static_cast<const VkBaseInStructure*>(stage.pNext)->pNext;
        for (auto* item = const_cast<VkBaseInStructure*>(static_cast<const VkBaseInStructure*>(stage.pNext));
             item && item->pNext;) {
            if (isOurs(item->pNext->sType)) {
                m_cut.emplace_back(item, item->pNext);
                item->pNext = item->pNext->pNext;
            } else {
                item = const_cast<VkBaseInStructure*>(item->pNext);
            }
        }
    }
    ~OwnStage()
    {
        std::ranges::reverse(m_cut);
        for (const auto& [item, next] : m_cut)
            item->pNext = next;
        deviceOf(m_device).table.DestroyShaderModule(m_device, m_module, nullptr);
    }
    OwnStage(const OwnStage&) = delete;

private:
    static bool isOurs(VkStructureType type)
    {
        return type == VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO ||
               type == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    }

    VkDevice m_device;
    VkShaderModule m_module = VK_NULL_HANDLE;
    std::vector<std::pair<VkBaseInStructure*, const VkBaseInStructure*>> m_cut;  // the application's, put back
};

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    VkResult worst = VK_SUCCESS;
    for (uint32_t i = 0; i < count; ++i) {
        VkComputePipelineCreateInfo info = infos[i];
        info.flags &= ~VkPipelineCreateFlags{VK_PIPELINE_CREATE_DERIVATIVE_BIT};
        const OwnStage stage(handle, info.stage);
        const VkResult result =
            deviceOf(handle).table.CreateComputePipelines(handle, cache, 1, &info, allocator, &out[i]);
        worst = result == VK_SUCCESS ? worst : result;
    }
    return worst;
}

#define SUBGROUP_ENTRY(name)                                   \
    {                                                          \
        "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name) \
    }

}  // namespace

const Functions& ownFunctions()
{
    static const Functions functions = {
        SUBGROUP_ENTRY(GetPhysicalDeviceProperties2),
        SUBGROUP_ENTRY(CreateShaderModule),
        SUBGROUP_ENTRY(DestroyShaderModule),
        SUBGROUP_ENTRY(CreateComputePipelines),
        {"vkGetPhysicalDeviceProperties2KHR", reinterpret_cast<PFN_vkVoidFunction>(GetPhysicalDeviceProperties2)}};
    return functions;
}

bool provides(const std::string&)
{
    return false;
}

}  // namespace millrace::layertest
