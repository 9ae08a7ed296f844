// SPDX-License-Identifier: Apache-2.0
// Indirect execution sets, of pipelines or of compute shader objects.
#include <span>

#include "layer/chains/chain.h"
#include "layer/commands/generated_commands.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/bound_state.h"

namespace millrace::layer {

namespace {

void report(const Device& device, const std::string& text)
{
    device.messages().error("Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle), text,
                            "docs/generated-commands.md says what execution sets may have");
}

// What a set cannot have is null, after a message.
std::shared_ptr<KeptPipeline> checked(const Device& device, std::shared_ptr<KeptPipeline> member, const char* command)
{
    if (!member)
        report(device, std::string(command) +
                           ": execution sets of other than compute and graphics pipelines and compute shader objects "
                           "are not supported");
    return member;
}

std::shared_ptr<KeptPipeline> findMember(const Device& device, VkPipeline pipeline, const char* command)
{
    return checked(device, device.generatedCommands->pipelines->find(pipeline), command);
}

std::shared_ptr<KeptPipeline> findMember(const Device& device, VkShaderEXT shader, const char* command)
{
    return checked(device, device.generatedCommands->shaders.find({shader}), command);
}

// `initial`: the members from index 0 on.
template <typename Handle>
std::shared_ptr<ExecutionSet> createSet(const Device& device, std::span<const Handle> initial, uint32_t maxCount)
{
    if (maxCount > kMaxPipelines)
        return nullptr;
    auto set = std::make_shared<ExecutionSet>(maxCount);
    for (uint32_t i = 0; i < initial.size(); ++i) {
        std::shared_ptr<KeptPipeline> member = findMember(device, initial[i], "vkCreateIndirectExecutionSetEXT");
        if (!member)
            return nullptr;
        set->set(i, std::move(member));
    }
    return set;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateIndirectExecutionSetEXT(VkDevice handle,
                                                             const VkIndirectExecutionSetCreateInfoEXT* pInfo,
                                                             const VkAllocationCallbacks*,
                                                             VkIndirectExecutionSetEXT* pSet)
{
    Device& device = Device::of(handle);
    *pSet = VK_NULL_HANDLE;
    std::shared_ptr<ExecutionSet> set;
    if (pInfo->type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT) {
        const VkIndirectExecutionSetPipelineInfoEXT& info = *pInfo->info.pPipelineInfo;
        set = createSet(device, std::span(&info.initialPipeline, 1), info.maxPipelineCount);
    } else {
        const VkIndirectExecutionSetShaderInfoEXT& info = *pInfo->info.pShaderInfo;
        set = createSet(device, std::span(info.pInitialShaders, info.shaderCount), info.maxShaderCount);
    }
    if (!set)
        return VK_ERROR_FEATURE_NOT_PRESENT;
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

VKAPI_ATTR void VKAPI_CALL UpdateIndirectExecutionSetShaderEXT(VkDevice handle, VkIndirectExecutionSetEXT set,
                                                               uint32_t count,
                                                               const VkWriteIndirectExecutionSetShaderEXT* pWrites)
{
    Device& device = Device::of(handle);
    ExecutionSet* known = device.executionSets.find(handleId(set));
    for (const VkWriteIndirectExecutionSetShaderEXT& write : std::span(pWrites, known ? count : 0))
        if (std::shared_ptr<KeptPipeline> member =
                findMember(device, write.shader, "vkUpdateIndirectExecutionSetShaderEXT"))
            known->set(write.index, std::move(member));
}

}  // namespace

namespace {

std::shared_ptr<KeptPipeline> findChained(GeneratedCommands& commands, const void* chain)
{
    if (const auto* info = findInChain<VkGeneratedCommandsPipelineInfoEXT>(
            chain, VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT))
        return commands.pipelines->find(info->pipeline);
    if (const auto* info =
            findInChain<VkGeneratedCommandsShaderInfoEXT>(chain, VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT))
        return commands.shaders.find({info->pShaders, info->pShaders + info->shaderCount});
    return nullptr;
}

}  // namespace

ExecutionSet::Pipelines pipelinesOf(const Device& device, VkIndirectExecutionSetEXT set, const void* chain,
                                    VkPipelineBindPoint bindPoint, const BoundState* state)
{
    if (set) {
        const ExecutionSet* known = device.executionSets.find(handleId(set));
        return known ? known->pipelines() : ExecutionSet::Pipelines();
    }
    GeneratedCommands& commands = *device.generatedCommands;
    std::shared_ptr<KeptPipeline> kept = findChained(commands, chain);
    if (!kept && state) {
        const VkPipeline pipeline = state->pipeline(bindPoint);
        kept = pipeline ? commands.pipelines->find(pipeline) : commands.shaders.find(state->shaders(bindPoint));
    }
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
