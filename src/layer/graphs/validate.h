// SPDX-License-Identifier: Apache-2.0
// Valid usage rules of VK_AMDX_shader_enqueue that a layer sees cheaply. Those that would do harm are always checked;
// the rest only with the setting "validate".
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <string>
#include <string_view>

#include "runtime/runtime.h"

namespace millrace::layer {

struct CommandBuffer;
struct Device;
struct GraphObject;

// A diagnostic that names a rule as "(VUID 09134)", sent under the rule's full name.
void reportRule(const Device& device, const std::string& text);

// A broken rule of vkCreateExecutionGraphPipelinesAMDX.
void adviseCreation(const Device& device, bool holds, const std::string& rule, const std::string& text,
                    std::string_view advice);

// vkCreateExecutionGraphPipelinesAMDX, before anything is created: layout, stages and libraries of one element, and its
// flags (setting "validate").
// Nodes that are sent to although their index is beyond what the sender declares.
void adviseArraySizes(const Device& device, const graph::Graph& graph);
void validateGraphCreation(const Device& device, const VkExecutionGraphPipelineCreateInfoAMDX& createInfo);
void validateGraphFlags(const Device& device, VkPipelineCache cache,
                        std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos, uint32_t index);

// The complete graph behind a handle, or null after a message that names the command.
GraphObject* findGraph(const Device& device, VkPipeline pipeline, const char* command);

// False after a message if the query cannot be answered.
bool checkNodeIndexQuery(const Device& device, const GraphObject& object, VkPipeline pipeline,
                         const VkPipelineShaderStageNodeCreateInfoAMDX& query);

// vkCmdInitializeGraphScratchMemoryAMDX. False after a message if it cannot be recorded.
bool checkInitialize(CommandBuffer& commandBuffer, const GraphObject& object, VkDeviceAddress scratch,
                     VkDeviceSize scratchBytes);

// vkCmdDispatchGraph*AMDX. False after a message if it cannot be recorded.
bool checkDispatch(CommandBuffer& commandBuffer, const GraphObject& object, const char* command,
                   const runtime::DispatchRequest& request);

}  // namespace millrace::layer
