// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/driver_pipeline_info.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

constexpr VkStructureType kNodeInfo = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX;
constexpr VkStructureType kModuleInfo = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;

bool hasChainedCode(const VkPipelineShaderStageCreateInfo& stage)
{
    return !stage.module && findInChain<VkShaderModuleCreateInfo>(stage.pNext, kModuleInfo);
}

}  // namespace

bool needsTranslation(const Device& device, const VkPipelineShaderStageCreateInfo& stage)
{
    return findInChain<VkBaseInStructure>(stage.pNext, kNodeInfo) ||
           (device.emulatesMaintenance5() && hasChainedCode(stage)) ||
           (device.shaderCounter && device.shaderCounter->counts(stage.stage));
}

DriverStages::DriverStages(const Device& device, const VkPipelineShaderStageCreateInfo* stages, uint32_t count,
                           bool isCounted)
    : m_device(device), m_stages(stages, stages + count)
{
    std::vector<SharedWords> code(count);
    if (device.shaderCounter && !isCounted)
        code = device.shaderCounter->count({stages, count});
    for (uint32_t i = 0; i < count; ++i)
        if (needsTranslation(device, m_stages[i]))
            translate(m_stages[i], code[i]);
}

DriverStages::~DriverStages()
{
    for (VkShaderModule module : m_modules)
        m_device.table.DestroyShaderModule(m_device.handle, module, runtime::hostMemory());
}

void DriverStages::createModule(VkPipelineShaderStageCreateInfo& stage, const VkShaderModuleCreateInfo& info)
{
    const VkResult result =
        m_device.table.CreateShaderModule(m_device.handle, &info, runtime::hostMemory(), &stage.module);
    if (result == VK_SUCCESS) {
        m_modules.push_back(stage.module);
        m_device.names.set(VK_OBJECT_TYPE_SHADER_MODULE, stage.module, {"code of a stage"});
    } else {
        m_result = result;
    }
}

void DriverStages::translate(VkPipelineShaderStageCreateInfo& stage, const SharedWords& code)
{
    PatchedChain& chain = m_chains.emplace_back(stage.pNext);
    chain.remove(kNodeInfo);
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    if (code) {
        info.codeSize = code->size() * sizeof(uint32_t);
        info.pCode = code->data();
    } else if (m_device.emulatesMaintenance5() && hasChainedCode(stage)) {
        info = *chain.find<VkShaderModuleCreateInfo>(kModuleInfo);
        info.pNext = nullptr;
    }
    if (info.pCode) {
        createModule(stage, info);
        chain.remove(kModuleInfo);
    }
    stage.pNext = chain.get();
    m_lost.insert(m_lost.end(), chain.lost().begin(), chain.lost().end());
}

}  // namespace millrace::layer
