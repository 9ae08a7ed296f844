// SPDX-License-Identifier: Apache-2.0
#include "layer/solo_pipeline.h"

#include <algorithm>

#include "layer/device.h"
#include "layer/transient_module.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

// Modules of more nodes take drivers long.
constexpr size_t kMostCodes = 64;

constexpr VkPipelineCreateFlags kFlags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
                                         VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR |
                                         VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;

Diagnostic failure(std::string message)
{
    return {"solo", "", std::move(message)};
}

}  // namespace

SoloPipeline::~SoloPipeline()
{
    const Device& device = m_object.layout->device;
    if (m_pipeline)
        device.table.DestroyPipeline(device.handle, m_pipeline, runtime::hostMemory());
}

const graph::SoloShape* SoloPipeline::shape()
{
    std::lock_guard lock(m_mutex);
    if (!m_module)
        m_module = make();
    return *m_module ? &(*m_module)->shape : nullptr;
}

// Nodes of the same code come once.
Result<compiler::SoloModule> SoloPipeline::make()
{
    const std::vector<bool> reached = reachedNodes(m_object.graph.graph);
    std::vector<const NodeCode*> codes;
    std::vector<compiler::SoloSource> sources;
    m_codeOfNode.assign(m_object.nodes.size(), 0);
    for (size_t n = 0; n < m_object.nodes.size(); ++n) {
        const NodeCode* code = m_object.nodes[n]->code.get();
        if (!reached[n])
            continue;
        const NodeRequest& request = code->request();
        if (request.robustness || request.requiredSubgroupSize != 0 || request.stageFlags != 0)
            return failure("a stage has flags, a subgroup size or robustness of its own");
        const std::string& name = m_object.nodes[n]->node.id.name;
        if (request.options.depthFirst)
            return failure("'" + name + "' runs its recursion depth first");
        if (request.options.parts > 1)
            return failure("'" + name + "' has several invocations to each payload");
        const auto known = std::ranges::find(codes, code);
        m_codeOfNode[n] = static_cast<uint32_t>(known - codes.begin());
        if (known != codes.end())
            continue;
        codes.push_back(code);
        sources.push_back({*request.words, request.options});
    }
    if (sources.empty() || sources.size() > kMostCodes)
        return failure("it has " + std::to_string(sources.size()) + " different nodes");
    const Support& support = m_object.layout->device.support;
    return compiler::makeSolo(sources, {.invocations = support.maxInvocations, .sharedBytes = support.maxSharedBytes});
}

VkResult SoloPipeline::getPipeline(VkPipeline& out)
{
    std::lock_guard lock(m_mutex);
    const VkResult result = m_pipeline ? VK_SUCCESS : callDriver(m_pipeline);
    out = m_pipeline;
    return result;
}

VkResult SoloPipeline::callDriver(VkPipeline& out) const
{
    const Device& device = m_object.layout->device;
    const TransientModule module(device, (*m_module)->words);
    if (module.result() != VK_SUCCESS)
        return module.result();
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = static_cast<VkPipelineCreateFlags>(m_object.flags) & kFlags;
    info.stage = module.stage();
    info.layout = m_object.layout->handle;
    info.basePipelineIndex = -1;
    const VkResult result =
        device.table.CreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, runtime::hostMemory(), &out);
    device.names.set(VK_OBJECT_TYPE_PIPELINE, out, {m_object.name(), ", in one workgroup"});
    return result;
}

}  // namespace millrace::layer
