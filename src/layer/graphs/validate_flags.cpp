// SPDX-License-Identifier: Apache-2.0
// Rules for the flags of execution graph pipelines, and for what the flags ask for.
#include "layer/chains/chain.h"
#include "layer/graphs/pipelines.h"
#include "layer/graphs/validate.h"

namespace millrace::layer {

namespace {

struct ForbiddenFlag {
    VkPipelineCreateFlags2 bit;
    const char* rule;
    const char* name;
};

constexpr ForbiddenFlag kForbidden[] = {
    {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_ANY_HIT_SHADERS_BIT_KHR, "flags-03365",
     "RAY_TRACING_NO_NULL_ANY_HIT_SHADERS"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS_BIT_KHR, "flags-03366",
     "RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_MISS_SHADERS_BIT_KHR, "flags-03367", "RAY_TRACING_NO_NULL_MISS_SHADERS"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_INTERSECTION_SHADERS_BIT_KHR, "flags-03368",
     "RAY_TRACING_NO_NULL_INTERSECTION_SHADERS"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR, "flags-03369", "RAY_TRACING_SKIP_TRIANGLES"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_AABBS_BIT_KHR, "flags-03370", "RAY_TRACING_SKIP_AABBS"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR, "flags-03576",
     "RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_ALLOW_MOTION_BIT_NV, "flags-04945", "RAY_TRACING_ALLOW_MOTION"},
    {VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT_EXT, "flags-12334", "NO_PROTECTED_ACCESS"},
    {VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT_EXT, "flags-12334", "PROTECTED_ACCESS_ONLY"},
};

constexpr char kLeaveOut[] = "Leave the flag out";
constexpr char kEnableOrLeaveOut[] = "Enable the feature when the device is created, or leave the flag out";
constexpr char kGiveBase[] =
    "Give either the handle of an execution graph that allows derivatives, or the index of one before this one in "
    "pCreateInfos";
constexpr char kChoose[] = "Leave one of the two out";

// The checks of one element of pCreateInfos.
class FlagRules {
public:
    FlagRules(const Device& device, std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos, uint32_t index)
        : m_device(device),
          m_infos(infos),
          m_index(index),
          m_info(infos[index]),
          m_flags(pipelineFlags(m_info.pNext, m_info.flags))
    {
    }

    void checkBits() const;
    void checkDerivative() const;
    void checkBinaries(VkPipelineCache cache) const;

private:
    bool has(VkPipelineCreateFlags2 bits) const { return m_flags & bits; }
    void advise(bool holds, const char* rule, const std::string& text, std::string_view advice) const
    {
        adviseCreation(m_device, holds, std::string("VUID-VkExecutionGraphPipelineCreateInfoAMDX-") + rule, text,
                       advice);
    }
    void adviseCommand(bool holds, const char* rule, const std::string& text, std::string_view advice) const
    {
        adviseCreation(m_device, holds, std::string("VUID-vkCreateExecutionGraphPipelinesAMDX-") + rule, text, advice);
    }
    // The flags of the pipeline to derive from; none if it is no execution graph.
    std::optional<VkPipelineCreateFlags2> baseFlags() const;

    const Device& m_device;
    std::span<const VkExecutionGraphPipelineCreateInfoAMDX> m_infos;
    uint32_t m_index;
    const VkExecutionGraphPipelineCreateInfoAMDX& m_info;
    VkPipelineCreateFlags2 m_flags;
};

void FlagRules::checkBits() const
{
    for (const ForbiddenFlag& flag : kForbidden)
        advise(!has(flag.bit), flag.rule, std::string("flags include ") + flag.name, kLeaveOut);
    const EnabledByApplication& enabled = m_device.enabled;
    advise(enabled.cacheControl || !has(VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
                                        VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT),
           "pipelineCreationCacheControl-02875",
           "FAIL_ON_PIPELINE_COMPILE_REQUIRED and EARLY_RETURN_ON_FAILURE need the feature "
           "pipelineCreationCacheControl",
           kEnableOrLeaveOut);
    advise(enabled.generatedCommands || !has(VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT), "flags-11007",
           "INDIRECT_BINDABLE_BIT_EXT needs the feature deviceGeneratedCommands", kEnableOrLeaveOut);
    if (!has(VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV))
        return;
    advise(enabled.generatedComputePipelines, "flags-09007",
           "INDIRECT_BINDABLE_BIT_NV needs the feature deviceGeneratedComputePipelines", kEnableOrLeaveOut);
    advise(findInChain<VkBaseInStructure>(m_info.pNext, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV),
           "flags-09008", "INDIRECT_BINDABLE_BIT_NV needs a VkComputePipelineIndirectBufferInfoNV", kLeaveOut);
}

std::optional<VkPipelineCreateFlags2> FlagRules::baseFlags() const
{
    if (m_info.basePipelineHandle) {
        const GraphObject* object = m_device.graphObjects.find(handleId(m_info.basePipelineHandle));
        if (object && object->kind != GraphObject::Kind::ComputeLibrary)
            return object->flags;
        return std::nullopt;
    }
    const auto index = static_cast<uint32_t>(m_info.basePipelineIndex);
    if (index >= m_infos.size())
        return std::nullopt;
    return pipelineFlags(m_infos[index].pNext, m_infos[index].flags);
}

void FlagRules::checkDerivative() const
{
    if (!has(VK_PIPELINE_CREATE_2_DERIVATIVE_BIT))
        return;
    const bool byIndex = m_info.basePipelineIndex != -1;
    const bool byHandle = m_info.basePipelineHandle != VK_NULL_HANDLE;
    advise(!byIndex || !byHandle, "flags-07986", "both basePipelineHandle and basePipelineIndex are given", kGiveBase);
    const std::optional<VkPipelineCreateFlags2> base = baseFlags();
    advise(byIndex || base, "flags-07984", "basePipelineHandle is not an execution graph pipeline", kGiveBase);
    advise(byHandle || base, "flags-07985", "basePipelineIndex is not an index into pCreateInfos", kGiveBase);
    adviseCommand(!byIndex || m_info.basePipelineIndex < static_cast<int32_t>(m_index), "flags-09125",
                  "basePipelineIndex is not below the index of the pipeline itself", kGiveBase);
    adviseCommand(!base || (*base & VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT), "flags-09126",
                  "the base pipeline does not allow derivatives", kGiveBase);
}

void FlagRules::checkBinaries(VkPipelineCache cache) const
{
    adviseCommand(!cache || !has(VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR), "pNext-09617",
                  "CAPTURE_DATA excludes a pipeline cache", kChoose);
    const auto* binaries =
        findInChain<VkPipelineBinaryInfoKHR>(m_info.pNext, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR);
    if (!binaries || binaries->binaryCount == 0)
        return;
    adviseCommand(!cache, "pNext-09616", "pipeline binaries exclude a pipeline cache", kChoose);
    adviseCommand(!has(VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT), "binaryCount-09622",
                  "pipeline binaries exclude FAIL_ON_PIPELINE_COMPILE_REQUIRED", kChoose);
}

}  // namespace

void validateGraphFlags(const Device& device, VkPipelineCache cache,
                        std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos, uint32_t index)
{
    const FlagRules rules(device, infos, index);
    rules.checkBits();
    rules.checkDerivative();
    rules.checkBinaries(cache);
}

}  // namespace millrace::layer
