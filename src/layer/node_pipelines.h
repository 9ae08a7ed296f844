// SPDX-License-Identifier: Apache-2.0
// From a shader stage to a driver pipeline that runs it as a node.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "data/data_type.h"
#include "layer/pipeline_layouts.h"
#include "layer/shader_modules.h"

namespace millrace::layer {

// A compiled node and its compute pipeline. Shared by the library it was made for and every graph that includes it.
struct NodePipeline {
    explicit NodePipeline(Device& owner) : device(owner) {}
    ~NodePipeline();

    Device& device;
    graph::Node node;
    data::DataTypeRef payloadType;  // if somebody wants to look into payloads
    VkPipeline pipeline = VK_NULL_HANDLE;
    std::shared_ptr<const NodePipeline> owner;  // of the pipeline, if that is another node with the same code
};

// One stage, with everything that may be gone after the creating command copied.
struct NodeRequest {
    SharedWords words;
    compiler::Options options;
    VkPipelineShaderStageCreateFlags stageFlags = 0;
    uint32_t requiredSubgroupSize = 0;  // 0: the driver's choice
    std::optional<VkPipelineRobustnessCreateInfo> robustness;
};

// Fails with the reason if the layer has no code for the stage.
Result<NodeRequest> readStage(const Device& device, const VkPipelineShaderStageCreateInfo& stage,
                              const GraphLayout& layout);

struct NodeResult {
    VkResult result = VK_SUCCESS;
    std::shared_ptr<NodePipeline> node;
    VkPipelineCreationFeedback feedback{};
    std::string message;  // why lowering failed
};

// Lowers and compiles in parallel, nodes that differ in name and index only once, for which Options::batched is set.
// `flags` are those of the application's pipeline.
std::vector<NodeResult> createNodes(Device& device, VkPipelineCache cache, VkPipelineCreateFlags2 flags,
                                    const GraphLayout& layout, std::span<NodeRequest> requests);

}  // namespace millrace::layer
