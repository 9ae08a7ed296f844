// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/shader_groups.h"

#include "layer/commands/kept_pipelines.h"
#include "layer/loader/device.h"
#include "layer/objects/driver_pipeline_info.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

ShaderGroups::ShaderGroups(Device& device, VkPipeline pipeline) : m_device(device), m_groups{{pipeline, nullptr, false}}
{
}

ShaderGroups::~ShaderGroups()
{
    for (const Group& group : m_groups)
        if (group.isOwn)
            m_device.table.DestroyPipeline(m_device.handle, group.pipeline, runtime::hostMemory());
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
    const DriverStages stages(m_device, info.pStages, info.stageCount);
    if (stages.result() != VK_SUCCESS)
        return stages.result();
    DriverPipelineInfo<VkGraphicsPipelineCreateInfo> own(m_device, info, nullptr);
    own.info().pStages = stages.data();
    Group group{VK_NULL_HANDLE, keep(m_device, info), true};
    const VkResult result = m_device.table.CreateGraphicsPipelines(m_device.handle, cache, 1, &own.info(),
                                                                   runtime::hostMemory(), &group.pipeline);
    if (result != VK_SUCCESS)
        return result;
    m_device.names.set(VK_OBJECT_TYPE_PIPELINE, group.pipeline, {"shader group"});
    m_groups.push_back(std::move(group));
    return VK_SUCCESS;
}

void ShaderGroups::append(const ShaderGroups& others)
{
    for (Group group : others.m_groups) {
        group.isOwn = false;
        m_groups.push_back(std::move(group));
    }
}

}  // namespace millrace::layer
