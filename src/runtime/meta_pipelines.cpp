// SPDX-License-Identifier: Apache-2.0
#include "runtime/meta_pipelines.h"

#include <algorithm>
#include <span>
#include <vector>

#include "abi/graph_memory.h"
#include "runtime/host_memory.h"
#include "shaders/meta.h"
#include "spirv/edit.h"

namespace millrace::runtime {

namespace {

// Wide ones have MetaPipelines::kWide invocations.
std::span<const uint32_t> code(Meta meta, bool isWide)
{
    switch (meta) {
        case Meta::Init:
            return isWide ? shaders::meta_init : shaders::meta_init_narrow;
        case Meta::Begin:
            return isWide ? shaders::meta_begin : shaders::meta_begin_narrow;
        case Meta::Feed:
            return shaders::meta_feed;
        case Meta::Turn:
            return isWide ? shaders::meta_turn : shaders::meta_turn_narrow;
        case Meta::Plan:
            return shaders::meta_plan;
        case Meta::Fit:
            return isWide ? shaders::meta_fit : shaders::meta_fit_narrow;
        case Meta::Snapshot:
            return isWide ? shaders::meta_snapshot : shaders::meta_snapshot_narrow;
        case Meta::Mark:
            return shaders::meta_mark;
        case Meta::Capture:
            return shaders::meta_capture;
        case Meta::ProbeSmall:
            return shaders::meta_probe_small;
        case Meta::ProbeLarge:
            return shaders::meta_probe_large;
        case Meta::Number:
            return shaders::meta_number;
        case Meta::Count:
            break;
    }
    return {};
}

// As in docs/debugging.md.
const char* nameOf(Meta meta)
{
    switch (meta) {
        case Meta::Init:
            return "initialize";
        case Meta::Begin:
            return "begin";
        case Meta::Feed:
            return "feed";
        case Meta::Turn:
            return "turn";
        case Meta::Plan:
            return "plan";
        case Meta::Fit:
            return "fit";
        case Meta::Snapshot:
            return "trace a sweep";
        case Meta::Mark:
            return "trace a step";
        case Meta::Capture:
            return "capture payloads";
        case Meta::ProbeSmall:
        case Meta::ProbeLarge:
            return "measure the device";
        case Meta::Number:
            return "number";
        case Meta::Count:
            break;
    }
    return "";
}

bool hasAll(const DeviceTraits& traits)
{
    return traits.integerBits == 64 && traits.atomicBits == 64 && traits.subgroupOperations >= abi::kSubgroupArithmetic;
}

// The code for a device that lacks something. Empty only if it was built wrongly.
std::vector<uint32_t> adapt(std::span<const uint32_t> words, const DeviceTraits& traits)
{
    const bool longAtomics = traits.atomicBits == 64;
    const spirv::SpecializationValue values[] = {
        {abi::kLongAtomicsSpecId, {static_cast<uint8_t>(longAtomics), 0, 0, 0}},
        {abi::kSubgroupOperationsSpecId,
         {static_cast<uint8_t>(std::min(traits.subgroupOperations, abi::kSubgroupArithmetic)), 0, 0, 0}},
    };
    Result<spirv::Module> module = spirv::read(words);
    if (!module || !spirv::specialize(*module, values))
        return {};
    module = spirv::simplify(*module);
    if (!module)
        return {};
    if (!longAtomics)
        module->removeCapability(spv::Capability::Int64Atomics);
    spirv::removeUnusedSubgroupCapabilities(*module);
    if (traits.integerBits < 64 && !spirv::splitLongIntegers(*module))
        return {};
    return spirv::write(*module);
}

VkResult createPipeline(VkDevice device, const VkuDeviceDispatchTable& table, const Names& names, Meta meta,
                        std::span<const uint32_t> words, VkPipelineLayout layout, VkPipeline& out)
{
    if (words.empty())
        return VK_ERROR_INITIALIZATION_FAILED;
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size_bytes();
    moduleInfo.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    VkResult result = table.CreateShaderModule(device, &moduleInfo, hostMemory(), &module);
    if (result != VK_SUCCESS)
        return result;
    names.set(VK_OBJECT_TYPE_SHADER_MODULE, module, {nameOf(meta)});
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout;
    result = table.CreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, hostMemory(), &out);
    table.DestroyShaderModule(device, module, hostMemory());
    if (result == VK_SUCCESS)
        names.set(VK_OBJECT_TYPE_PIPELINE, out, {nameOf(meta)});
    return result;
}

}  // namespace

VkResult MetaPipelines::create(VkDevice device, const VkuDeviceDispatchTable& table, const Names& names,
                               const DeviceTraits& traits, uint32_t maxGroupInvocations)
{
    m_device = device;
    m_table = &table;
    m_names = names;
    m_traits = traits;
    m_width = maxGroupInvocations >= kWide ? kWide : kNarrow;
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kArgumentBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    const VkResult result = table.CreatePipelineLayout(device, &info, hostMemory(), &m_layout);
    names.set(VK_OBJECT_TYPE_PIPELINE_LAYOUT, m_layout, {"layout of the scheduler"});
    return result;
}

VkResult MetaPipelines::prepare()
{
    const std::lock_guard lock(m_mutex);
    VkResult result = VK_SUCCESS;
    for (size_t i = 0; result == VK_SUCCESS && i < static_cast<size_t>(Meta::Snapshot); ++i)
        result = add(static_cast<Meta>(i));
    if (result == VK_SUCCESS && m_traits.atomicBits < 64)
        result = add(Meta::Number);
    return result;
}

VkResult MetaPipelines::add(Meta meta)
{
    VkPipeline& pipeline = m_pipelines[static_cast<size_t>(meta)];
    if (pipeline)
        return VK_SUCCESS;
    const std::span<const uint32_t> words = code(meta, m_width == kWide);
    if (hasAll(m_traits))
        return createPipeline(m_device, *m_table, m_names, meta, words, m_layout, pipeline);
    return createPipeline(m_device, *m_table, m_names, meta, adapt(words, m_traits), m_layout, pipeline);
}

MetaPipelines::~MetaPipelines()
{
    if (!m_table)
        return;
    for (VkPipeline pipeline : m_pipelines)
        m_table->DestroyPipeline(m_device, pipeline, hostMemory());
    m_table->DestroyPipelineLayout(m_device, m_layout, hostMemory());
}

void MetaPipelines::dispatchBytes(VkCommandBuffer commandBuffer, Meta meta, const void* arguments, size_t bytes,
                                  uint32_t groups) const
{
    m_table->CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipelines[static_cast<size_t>(meta)]);
    m_table->CmdPushConstants(commandBuffer, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(bytes),
                              arguments);
    m_table->CmdDispatch(commandBuffer, groups, 1, 1);
}

}  // namespace millrace::runtime
