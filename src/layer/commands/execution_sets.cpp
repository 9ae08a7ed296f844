// SPDX-License-Identifier: Apache-2.0
// Indirect execution sets, of pipelines or of shader objects.
#include <algorithm>
#include <bit>
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

using Member = ExecutionSet::Member;

// With neither, after a message, if a set cannot have it.
Member findMember(const Device& device, VkPipeline pipeline, const char* command)
{
    Member member{device.generatedCommands->pipelines->find(pipeline), VK_NULL_HANDLE};
    if (!member.pipeline)
        report(device, std::string(command) + ": the layer does not have the code of the pipeline");
    return member;
}

Member findMember(const Device& device, VkShaderEXT shader, const char* command)
{
    ShaderObjects& shaders = device.generatedCommands->shaders;
    const VkShaderStageFlags stage = shaders.stageOf(shader);
    if (stage == 0)
        report(device, std::string(command) + ": the layer does not have the code of one of the shader objects");
    if (stage == VK_SHADER_STAGE_COMPUTE_BIT)
        return {shaders.find({shader}), shader};
    return {nullptr, stage ? shader : VK_NULL_HANDLE};
}

// Of a set that is to be created. `rule`: of the maximum.
bool checkSize(const Device& device, size_t initialCount, uint32_t maxCount, const char* what, const char* rule)
{
    std::string text = "vkCreateIndirectExecutionSetEXT: the set has " + std::to_string(maxCount) +
                       (maxCount == 1 ? " place, and " : " places, and ");
    if (maxCount > kMaxPipelines)
        text += "at most " + std::to_string(kMaxPipelines) + " are supported (" + rule + ")";
    else if (initialCount > maxCount)
        text += "is given " + std::to_string(initialCount) + " " + what;
    else
        return true;
    report(device, text);
    return false;
}

// `initial`: the members from index 0 on, no more than `maxCount`.
template <typename Handle>
std::shared_ptr<ExecutionSet> createSet(const Device& device, std::span<const Handle> initial, uint32_t maxCount)
{
    auto set = std::make_shared<ExecutionSet>(maxCount);
    for (uint32_t i = 0; i < initial.size(); ++i) {
        Member member = findMember(device, initial[i], "vkCreateIndirectExecutionSetEXT");
        if (!member.pipeline && !member.shader)
            return nullptr;
        set->set(i, std::move(member));
    }
    return set;
}

// `rule`: of the index.
template <typename Handle>
void update(const Device& device, VkIndirectExecutionSetEXT handle, uint32_t index, Handle what, const char* command,
            const char* rule)
{
    ExecutionSet* const set = device.executionSets.find(handleId(handle));
    if (set && index >= set->size()) {
        device.messages().warning(
            "Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_INDIRECT_EXECUTION_SET_EXT, handle),
            std::string(command) + ": index " + std::to_string(index) + " is beyond the execution set, which has " +
                std::to_string(set->size()) + " places, and nothing is put there (" + rule + ")",
            "Make the set larger, or put it at an index below that");
        return;
    }
    Member member = findMember(device, what, command);
    if (set && (member.pipeline || member.shader))
        set->set(index, std::move(member));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateIndirectExecutionSetEXT(VkDevice handle,
                                                             const VkIndirectExecutionSetCreateInfoEXT* pInfo,
                                                             const VkAllocationCallbacks*,
                                                             VkIndirectExecutionSetEXT* pSet)
{
    Device& device = Device::of(handle);
    *pSet = VK_NULL_HANDLE;
    device.tellUnknown("vkCreateIndirectExecutionSetEXT", unknownStructures(pInfo->pNext), kLayerAlone);
    std::shared_ptr<ExecutionSet> set;
    if (pInfo->type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT) {
        const VkIndirectExecutionSetPipelineInfoEXT& info = *pInfo->info.pPipelineInfo;
        if (checkSize(device, 1, info.maxPipelineCount, "a pipeline",
                      "VUID-VkIndirectExecutionSetPipelineInfoEXT-maxPipelineCount-11018"))
            set = createSet(device, std::span(&info.initialPipeline, 1), info.maxPipelineCount);
    } else {
        const VkIndirectExecutionSetShaderInfoEXT& info = *pInfo->info.pShaderInfo;
        if (checkSize(device, info.shaderCount, info.maxShaderCount, "shader objects",
                      "VUID-VkIndirectExecutionSetShaderInfoEXT-maxShaderCount-11022"))
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
    const Device& device = Device::of(handle);
    for (const VkWriteIndirectExecutionSetPipelineEXT& write : std::span(pWrites, count))
        update(device, set, write.index, write.pipeline, "vkUpdateIndirectExecutionSetPipelineEXT",
               "VUID-VkWriteIndirectExecutionSetPipelineEXT-index-11026");
}

VKAPI_ATTR void VKAPI_CALL UpdateIndirectExecutionSetShaderEXT(VkDevice handle, VkIndirectExecutionSetEXT set,
                                                               uint32_t count,
                                                               const VkWriteIndirectExecutionSetShaderEXT* pWrites)
{
    const Device& device = Device::of(handle);
    for (const VkWriteIndirectExecutionSetShaderEXT& write : std::span(pWrites, count))
        update(device, set, write.index, write.shader, "vkUpdateIndirectExecutionSetShaderEXT",
               "VUID-VkWriteIndirectExecutionSetShaderEXT-index-11031");
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

// All that the set's shaders make together, one of each stage; null for those that may not draw together, which no
// sequence may mean: the driver is not asked for them. None if that is too many.
Choice combine(ShaderObjects& objects, const ExecutionSet::Members& members, VkShaderStageFlags stages)
{
    Choice choice;
    choice.setSize = static_cast<uint32_t>(members.size());
    std::vector<std::vector<VkShaderEXT>> together{{}};  // the first stage changes fastest
    for (VkShaderStageFlags left = stages; left; left &= left - 1) {
        const VkShaderStageFlags stage = left & ~(left - 1);
        const auto radix = static_cast<uint32_t>(together.size());
        std::vector<std::vector<VkShaderEXT>> more;
        for (const ExecutionSet::Member& member : members) {
            const bool isOfStage = member.shader && objects.stageOf(member.shader) == stage;
            choice.parts.push_back(isOfStage ? static_cast<uint32_t>(more.size()) : abi::kNoMember);
            for (uint32_t i = 0; isOfStage && i < radix; ++i) {
                more.push_back(together[i]);
                more.back().push_back(member.shader);
            }
            if (more.size() > kMaxPipelines)
                return {};
        }
        together = std::move(more);
    }
    for (std::vector<VkShaderEXT>& shaders : together) {
        std::shared_ptr<KeptPipeline> kept = objects.find(std::move(shaders));
        choice.pipelines.push_back(kept && kept->fits() ? std::move(kept) : nullptr);
    }
    return choice;
}

Choice choiceOf(GeneratedCommands& commands, const IndirectLayout& layout, const std::shared_ptr<ExecutionSet>& set)
{
    if (!set)
        return {};
    const uint64_t version = set->changes.version();
    const ExecutionSet::Members members = set->members();
    Choice choice;
    if (layout.objectStages) {
        choice = combine(commands.shaders, members, layout.objectStages);
    } else {
        for (const ExecutionSet::Member& member : members)
            choice.pipelines.push_back(member.pipeline);
        choice.combination = &set->combination;
    }
    choice.changes = {set, &set->changes};
    choice.version = version;
    return choice;
}

}  // namespace

uint32_t mostCombinations(size_t setSize, VkShaderStageFlags stages)
{
    const auto count = static_cast<uint64_t>(std::popcount(stages));
    uint64_t most = 1;
    // Shares as equal as can be have the greatest product.
    for (uint64_t i = 0; i < count; ++i)
        most *= std::max<uint64_t>(1, (setSize + i) / count);
    return static_cast<uint32_t>(std::min<uint64_t>(most, kMaxPipelines));
}

Choice choiceOf(const Device& device, const IndirectLayout& layout, VkIndirectExecutionSetEXT set, const void* chain,
                const BoundState* state)
{
    GeneratedCommands& commands = *device.generatedCommands;
    if (set)
        return choiceOf(commands, layout, device.executionSets.share(handleId(set)));
    Choice choice;
    std::shared_ptr<KeptPipeline> kept = findChained(commands, chain);
    if (!kept && state) {
        const VkPipeline pipeline = state->pipeline(layout.bindPoint());
        kept =
            pipeline ? commands.pipelines->find(pipeline) : commands.shaders.find(state->shaders(layout.bindPoint()));
    }
    if (kept)
        choice.pipelines.push_back(std::move(kept));
    return choice;
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
