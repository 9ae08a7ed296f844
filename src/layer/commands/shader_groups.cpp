// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/shader_groups.h"

#include "layer/commands/kept_pipelines.h"
#include "layer/loader/device.h"
#include "layer/objects/driver_pipeline_info.h"
#include "layer/objects/pipeline_maker.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

ShaderGroups::ShaderGroups(Device& device, VkPipeline pipeline) : m_device(device), m_groups{{pipeline, nullptr, false}}
{
}

ShaderGroups::~ShaderGroups()
{
    for (const Group& group : m_groups) {
        if (!group.isOwn)
            continue;
        if (m_device.pipelineMaker)
            m_device.pipelineMaker->destroyed(group.pipeline);
        m_device.table.DestroyPipeline(m_device.handle, group.pipeline, runtime::hostMemory());
    }
}

VkResult ShaderGroups::create(const VkGraphicsPipelineCreateInfo& info,
                              const VkGraphicsPipelineShaderGroupsCreateInfoNV& groups, VkPipelineCache cache)
{
    for (uint32_t i = 1; i < groups.groupCount; ++i) {
        const VkGraphicsShaderGroupCreateInfoNV& group = groups.pGroups[i];
        VkGraphicsPipelineCreateInfo one = info;
        one.flags &= ~VkPipelineCreateFlags{VK_PIPELINE_CREATE_DERIVATIVE_BIT};
        one.basePipelineHandle = VK_NULL_HANDLE;
        one.basePipelineIndex = -1;
        one.stageCount = group.stageCount;
        one.pStages = group.pStages;
        one.pVertexInputState = group.pVertexInputState;
        one.pTessellationState = group.pTessellationState;
        if (const VkResult result = createOne(one, cache); result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

VkResult ShaderGroups::createOne(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache)
{
    DriverPipelineInfo<VkGraphicsPipelineCreateInfo> own(m_device, info, nullptr);
    m_device.tellLost("pipeline creation", own.lost());
    Group group{VK_NULL_HANDLE, keep(m_device, info), true};
    PipelineMaker* const maker = m_device.pipelineMaker.get();
    const VkResult result = maker && maker->makes(info)
                                ? maker->create(own.info(), cache, runtime::hostMemory(), &group.pipeline)
                                : callDriver(info, own.info(), cache, group.pipeline);
    if (result != VK_SUCCESS)
        return result;
    m_device.names.set(VK_OBJECT_TYPE_PIPELINE, group.pipeline, {"shader group"});
    m_groups.push_back(std::move(group));
    return VK_SUCCESS;
}

VkResult ShaderGroups::callDriver(const VkGraphicsPipelineCreateInfo& given, VkGraphicsPipelineCreateInfo info,
                                  VkPipelineCache cache, VkPipeline& out)
{
    const DriverStages stages(m_device, given.pStages, given.stageCount);
    if (stages.result() != VK_SUCCESS)
        return stages.result();
    m_device.tellLost("pipeline creation", stages.lost());
    info.pStages = stages.data();
    return m_device.table.CreateGraphicsPipelines(m_device.handle, cache, 1, &info, runtime::hostMemory(), &out);
}

void ShaderGroups::append(const ShaderGroups& others)
{
    for (Group group : others.m_groups) {
        group.isOwn = false;
        m_groups.push_back(std::move(group));
    }
}

}  // namespace millrace::layer
