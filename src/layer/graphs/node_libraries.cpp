// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/node_libraries.h"

#include <algorithm>
#include <span>

#include "layer/graphs/pipelines.h"
#include "layer/graphs/validate.h"
#include "layer/objects/shader_modules.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineCreateFlags2 kGraphBit = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;

// The node of a compute pipeline with the library bit.
VkResult createComputeLibrary(Device& device, VkPipelineCache cache, const VkComputePipelineCreateInfo& createInfo,
                              VkPipeline* out)
{
    const VkPipelineCreateFlags2 flags = pipelineFlags(createInfo.pNext, createInfo.flags);
    const ObjectReference reference = objectReference(VK_OBJECT_TYPE_DEVICE, device.handle);
    if (!device.usesGraphs()) {
        device.messages().error("VUID-VkComputePipelineCreateInfo-shaderEnqueue-09177", reference,
                                "vkCreateComputePipelines: VK_PIPELINE_CREATE_LIBRARY_BIT_KHR needs the feature "
                                "shaderEnqueue, which is not enabled",
                                kEnableFeature);
        return VK_ERROR_VALIDATION_FAILED_EXT;
    }
    device.tellUnknown("vkCreateComputePipelines", unknownStructures(createInfo.pNext), kLayerAlone);
    device.tellUnknown("vkCreateComputePipelines", unknownStructures(createInfo.stage.pNext), kLayerAlone);
    auto object = std::make_shared<GraphObject>();
    object->kind = GraphObject::Kind::ComputeLibrary;
    object->flags = flags;
    object->layout = graphLayoutOf(device, createInfo.layout);
    if (!object->layout)
        return VK_ERROR_VALIDATION_FAILED_EXT;
    Result<NodeRequest> request = readStage(device, createInfo.stage, *object->layout);
    if (!request) {
        if (flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)
            return VK_PIPELINE_COMPILE_REQUIRED;
        device.messages().error("Millrace-library-creation", reference,
                                "vkCreateComputePipelines: " + request.error().text(),
                                "Give a module, or code chained to the stage, with a compute entry point of this name");
        return VK_ERROR_VALIDATION_FAILED_EXT;
    }
    NodeBuilder builder(device, cache, flags, object->layout, {std::move(*request)});
    NodeResult node = builder.prepare().front();
    if (node.result == VK_SUCCESS)
        node = builder.compile({}, {}).front();
    if (const auto* feedback = findInChain<VkPipelineCreationFeedbackCreateInfo>(
            createInfo.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO)) {
        *feedback->pPipelineCreationFeedback = node.feedback;
        if (feedback->pipelineStageCreationFeedbackCount > 0)
            feedback->pPipelineStageCreationFeedbacks[0] = node.feedback;
    }
    if (!node.message.empty())
        device.messages().error("Millrace-library-creation", reference, "vkCreateComputePipelines: " + node.message,
                                kSeeLowerCommand);
    if (node.result != VK_SUCCESS)
        return node.result;
    object->nodes.push_back(std::move(node.node));
    *out = publish(device, std::move(object));
    return VK_SUCCESS;
}

class NodeLibraries final : public OwnPipelines {
public:
    explicit NodeLibraries(Device& device) : m_device(device) {}

    bool makes(const VkComputePipelineCreateInfo& info) const override
    {
        return (m_device.uses & kUseExtension) &&
               (pipelineFlags(info.pNext, info.flags) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR);
    }

    bool makes(const VkGraphicsPipelineCreateInfo& info) const override
    {
        return (pipelineFlags(info.pNext, info.flags) & kGraphBit) || hasMeshNode(info);
    }

    VkResult create(const VkComputePipelineCreateInfo& info, VkPipelineCache cache, VkPipeline* out) override
    {
        return createComputeLibrary(m_device, cache, info, out);
    }

    VkResult create(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache, const VkPipeline* created,
                    VkPipeline* out) override
    {
        if (m_device.usesMeshNodes())
            return createMeshLibrary(m_device, cache, info, created, out);
        m_device.messages().error("VUID-VkExecutionGraphPipelineCreateInfoAMDX-shaderMeshEnqueue-10182",
                                  objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                                  "graphics pipelines with VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX need the "
                                  "feature shaderMeshEnqueue, which is not enabled",
                                  "Draw with a pipeline of its own from what a graph of compute nodes wrote");
        return VK_ERROR_VALIDATION_FAILED_EXT;
    }

    GraphObject* findBindable(VkPipeline pipeline) const override
    {
        return findGraph(m_device, pipeline, "vkCmdBindPipeline");
    }

    void setName(uint64_t pipeline, const char* name) override
    {
        if (GraphObject* object = m_device.graphObjects.find(pipeline))
            object->setName(name ? name : "");
    }

private:
    bool hasMeshNode(const VkGraphicsPipelineCreateInfo& info) const
    {
        if (!m_device.usesMeshNodes() || !info.pStages)
            return false;
        return std::ranges::any_of(std::span(info.pStages, info.stageCount),
                                   [&](const auto& stage) { return usesShaderEnqueue(m_device, stage); });
    }

    Device& m_device;
};

}  // namespace

std::shared_ptr<OwnPipelines> createOwnPipelines(Device& device)
{
    return std::make_shared<NodeLibraries>(device);
}

}  // namespace millrace::layer
