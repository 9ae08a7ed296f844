// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/node_code.h"

#include "layer/base/guard.h"
#include "layer/loader/device.h"
#include "layer/objects/pipeline_caches.h"
#include "layer/objects/transient_module.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

NodeCode::NodeCode(std::shared_ptr<GraphLayout> layout, const NodeRequest& request,
                   std::shared_ptr<LoweredCode> lowered, const nodes::Code& code, VkPipelineCreateFlags flags)
    : m_layout(std::move(layout)), m_request(request), m_lowered(std::move(lowered)), m_code(code), m_flags(flags)
{
}

NodeCode::~NodeCode()
{
    for (const VkPipeline pipeline : m_pipelines)
        if (pipeline)
            m_layout->device.table.DestroyPipeline(m_layout->device.handle, pipeline, runtime::hostMemory());
}

VkPipeline NodeCode::usual() const
{
    const VkPipeline fitting = m_pipelines[static_cast<size_t>(graph::MemoryUse::Fits)];
    return fitting ? fitting : m_pipelines[static_cast<size_t>(graph::MemoryUse::None)].load();
}

// What a node that goes depth first leaves to others has no place that anybody knows.
graph::MemoryUse NodeCode::usedFor(graph::MemoryUse memory) const
{
    return m_lowered->node().decided.depthFirst > 0 ? graph::MemoryUse::Reserves : memory;
}

VkResult NodeCode::get(graph::MemoryUse memory, const Cache& cache, VkPipeline& out,
                       VkPipelineCreationFeedbackFlags* feedback)
{
    memory = usedFor(memory);
    std::lock_guard lock(m_mutex);
    out = VK_NULL_HANDLE;
    // A callback of the application's, called while the pipeline is made, asks for it.
    if (m_isCreating)
        return VK_ERROR_UNKNOWN;
    std::atomic<VkPipeline>& pipeline = m_pipelines[static_cast<size_t>(memory)];
    out = pipeline;
    if (out)
        return VK_SUCCESS;
    m_isCreating = true;
    const Finally done([this]() noexcept { m_isCreating = false; });
    const VkResult result = create(memory, cache, out, feedback);
    pipeline = out;
    return result;
}

VkResult NodeCode::create(graph::MemoryUse memory, const Cache& cache, VkPipeline& out,
                          VkPipelineCreationFeedbackFlags* feedback) const
{
    nodes::Code code = m_code;
    code.memory = memory;
    const Result<nodes::LoweredNode> lowered = m_lowered->get();
    const Result<spirv::Words> words =
        lowered ? nodes::finish(*lowered, code, m_request.options) : Result<spirv::Words>(lowered.error());
    if (words)
        return callDriver(*words, cache, out, feedback);
    const Device& device = m_layout->device;
    device.messages().error("Millrace-graph-creation", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                            "node " + m_lowered->node().declared.id.name + ": " + words.error().text(),
                            kSeeLowerCommand);
    return VK_ERROR_UNKNOWN;
}

VkResult NodeCode::callDriver(const spirv::Words& words, const Cache& cache, VkPipeline& out,
                              VkPipelineCreationFeedbackFlags* feedback) const
{
    Device& device = m_layout->device;
    const TransientModule module(device, words);
    if (module.result() != VK_SUCCESS)
        return module.result();

    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroupSize{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    subgroupSize.requiredSubgroupSize = m_request.requiredSubgroupSize;
    VkPipelineRobustnessCreateInfo robustness = m_request.robustness.value_or(VkPipelineRobustnessCreateInfo{});
    VkPipelineCreationFeedback given{};
    VkPipelineCreationFeedbackCreateInfo feedbackInfo{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
    feedbackInfo.pPipelineCreationFeedback = &given;

    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &feedbackInfo};
    info.flags = m_flags;
    info.stage = module.stage();
    info.stage.flags = m_request.stageFlags;
    if (m_request.robustness)
        info.stage.pNext = &robustness;
    if (m_request.requiredSubgroupSize) {
        subgroupSize.pNext = const_cast<void*>(info.stage.pNext);
        info.stage.pNext = &subgroupSize;
    }
    info.layout = m_layout->handle;
    info.basePipelineIndex = -1;
    // An application that asks for no compilation gets none when it creates a graph. Later it cannot be asked.
    if (!cache.handle)
        info.flags &= ~static_cast<VkPipelineCreateFlags>(VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT);

    const std::string name =
        m_lowered->node().declared.id.name + "[" + std::to_string(m_lowered->node().declared.id.index) + "]";
    device.names.set(VK_OBJECT_TYPE_SHADER_MODULE, module.handle(), {"node ", name});
    VkResult result = VK_SUCCESS;
    {
        std::unique_lock<std::recursive_mutex> lock;
        if (cache.known && cache.known->externallySynchronized)
            lock = std::unique_lock(cache.known->driverMutex);
        // The application's allocator must not be called from other threads than its own.
        result =
            device.table.CreateComputePipelines(device.handle, cache.handle, 1, &info, runtime::hostMemory(), &out);
    }
    if (feedback)
        *feedback = given.flags;
    device.names.set(VK_OBJECT_TYPE_PIPELINE, out, {"node ", name});
    return result;
}

}  // namespace millrace::layer
