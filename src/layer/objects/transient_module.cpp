// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/transient_module.h"

#include "layer/loader/device.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

TransientModule::TransientModule(const Device& device, std::span<const uint32_t> words) : m_device(device)
{
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    m_result = device.table.CreateShaderModule(device.handle, &info, runtime::hostMemory(), &m_handle);
}

TransientModule::~TransientModule()
{
    if (m_handle)
        m_device.table.DestroyShaderModule(m_device.handle, m_handle, runtime::hostMemory());
}

VkPipelineShaderStageCreateInfo TransientModule::stage() const
{
    VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    stage.module = m_handle;
    stage.pName = "main";
    return stage;
}

}  // namespace millrace::layer
