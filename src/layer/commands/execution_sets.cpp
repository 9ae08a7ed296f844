// SPDX-License-Identifier: Apache-2.0
// Indirect execution sets, of compute pipelines.
#include <span>

#include "layer/chains/chain.h"
#include "layer/commands/generated_commands.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"

namespace millrace::layer {

namespace {

void report(const Device& device, const std::string& text)
{
    device.messages().error("Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle), text,
                            "docs/generated-commands.md says what execution sets may have");
}

// Null after a message if a set cannot have it.
std::shared_ptr<KeptPipeline> findMember(const Device& device, VkPipeline pipeline, const char* command)
{
    std::shared_ptr<KeptPipeline> kept = device.generatedCommands->pipelines->find(pipeline);
    if (kept && kept->bindPoint() == VK_PIPELINE_BIND_POINT_COMPUTE)
        return kept;
    report(device,
           std::string(command) + ": execution sets of pipelines other than compute pipelines are not supported");
    return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateIndirectExecutionSetEXT(VkDevice handle,
                                                             const VkIndirectExecutionSetCreateInfoEXT* pInfo,
                                                             const VkAllocationCallbacks*,
                                                             VkIndirectExecutionSetEXT* pSet)
{
    Device& device = Device::of(handle);
    *pSet = VK_NULL_HANDLE;
    if (pInfo->type != VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT) {
        report(device, "vkCreateIndirectExecutionSetEXT: execution sets of shader objects are not supported");
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    const VkIndirectExecutionSetPipelineInfoEXT& info = *pInfo->info.pPipelineInfo;
    std::shared_ptr<KeptPipeline> initial = findMember(device, info.initialPipeline, "vkCreateIndirectExecutionSetEXT");
    if (!initial || info.maxPipelineCount > kMaxPipelines)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    auto set = std::make_shared<ExecutionSet>(info.maxPipelineCount);
    set->set(0, std::move(initial));
    *pSet = handleOf<VkIndirectExecutionSetEXT>(set.get());
    device.executionSets.insert(handleId(*pSet), std::move(set));
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyIndirectExecutionSetEXT(VkDevice handle, VkIndirectExecutionSetEXT set,
                                                          const VkAllocationCallbacks*)
{
    Device& device = Device::of(handle);
    device.executionSets.remove(handleId(set));
    device.privateData.removeObject(handleId(set));
}

VKAPI_ATTR void VKAPI_CALL UpdateIndirectExecutionSetPipelineEXT(VkDevice handle, VkIndirectExecutionSetEXT set,
                                                                 uint32_t count,
                                                                 const VkWriteIndirectExecutionSetPipelineEXT* pWrites)
{
    Device& device = Device::of(handle);
    ExecutionSet* known = device.executionSets.find(handleId(set));
    for (const VkWriteIndirectExecutionSetPipelineEXT& write : std::span(pWrites, known ? count : 0))
        if (std::shared_ptr<KeptPipeline> member =
                findMember(device, write.pipeline, "vkUpdateIndirectExecutionSetPipelineEXT"))
            known->set(write.index, std::move(member));
}

// There are no sets of shader objects, so that no application may call it.
VKAPI_ATTR void VKAPI_CALL UpdateIndirectExecutionSetShaderEXT(VkDevice handle, VkIndirectExecutionSetEXT, uint32_t,
                                                               const VkWriteIndirectExecutionSetShaderEXT*)
{
    report(Device::of(handle),
           "vkUpdateIndirectExecutionSetShaderEXT: execution sets of shader objects are not "
           "supported");
}

}  // namespace

ExecutionSet::Pipelines pipelinesOf(const Device& device, VkIndirectExecutionSetEXT set, const void* chain,
                                    VkPipeline bound)
{
    if (set) {
        const ExecutionSet* known = device.executionSets.find(handleId(set));
        return known ? known->pipelines() : ExecutionSet::Pipelines();
    }
    const auto* chained =
        findInChain<VkGeneratedCommandsPipelineInfoEXT>(chain, VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT);
    std::shared_ptr<KeptPipeline> kept = device.generatedCommands->pipelines->find(chained ? chained->pipeline : bound);
    if (!kept)
        return {};
    return {std::move(kept)};
}

EntryPoints executionSetEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateIndirectExecutionSetEXT, kUseCommands, true),
        MILLRACE_ENTRY(DestroyIndirectExecutionSetEXT, kUseCommands, true),
        MILLRACE_ENTRY(UpdateIndirectExecutionSetPipelineEXT, kUseCommands, true),
        MILLRACE_ENTRY(UpdateIndirectExecutionSetShaderEXT, kUseCommands, true),
    };
    return entries;
}

}  // namespace millrace::layer
