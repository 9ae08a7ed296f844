// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines that are made of libraries (VK_EXT_graphics_pipeline_library), as far as variants need them: what
// each library was given, and the pipeline that they are together.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <vector>

namespace millrace::layer {

struct Device;
class GraphicsPart;
class KeptPipeline;

// Parts of a library or of a whole pipeline, those of the libraries in it among them. Immutable.
using GraphicsParts = std::vector<std::shared_ptr<const GraphicsPart>>;

// Subsets of a graphics pipeline's state that the structure itself has, not its libraries: all of a pipeline without
// libraries (VkGraphicsPipelineLibraryCreateInfoEXT).
VkGraphicsPipelineLibraryFlagsEXT ownSubsets(const VkGraphicsPipelineCreateInfo& info);

// Copies what the structure has for its subsets, handles excepted, which may be gone later. Null if variants cannot be
// made of it: code that the layer does not have, stages that are none of generated commands.
std::shared_ptr<const GraphicsPart> createPart(const Device& device, const VkGraphicsPipelineCreateInfo& info);

// The pipeline that `parts` and the structure that linked them describe. Null as above, or if the layouts of the parts
// have different sets and the structure does not say the layout of all.
std::shared_ptr<KeptPipeline> link(Device& device, const VkGraphicsPipelineCreateInfo& info,
                                   const GraphicsParts& parts);

}  // namespace millrace::layer
