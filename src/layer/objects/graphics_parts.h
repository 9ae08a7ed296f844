// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines that are made of libraries (VK_EXT_graphics_pipeline_library), as far as features need them: what
// each library was given, and the pipeline that they are together.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <vector>

#include "layer/chains/chain_copy.h"
#include "layer/chains/unknown_structures.h"
#include "layer/objects/shader_modules.h"

namespace millrace::layer {

struct Device;
class GraphicsPart;
struct RenderPass;
struct SequenceLayout;

// Parts of a library or of a whole pipeline, those of the libraries in it among them. Immutable.
using GraphicsParts = std::vector<std::shared_ptr<const GraphicsPart>>;
using GraphicsSubsets = VkGraphicsPipelineLibraryFlagsEXT;

// Structures of stages and states of the first that the second, a copy, does not have.
StructureTypes missingInside(const VkGraphicsPipelineCreateInfo& original, const VkGraphicsPipelineCreateInfo& copy);

// Of all libraries of the structure, and of what the structure itself has for its subsets: copies, which do not need
// the application's objects. Empty if one of the libraries is not known.
GraphicsParts partsOf(const Device& device, const VkGraphicsPipelineCreateInfo& info);

// True if the structure is one of a library, or has libraries.
bool isLibrary(const VkGraphicsPipelineCreateInfo& info);
bool hasLibraries(const VkGraphicsPipelineCreateInfo& info);

// Where a feature may want it of the device: the parts of a library that has been created, in
// Device::graphicsLibraries.
void keepLibrary(Device& device, const VkGraphicsPipelineCreateInfo& info, VkPipeline library);

// Stages of all parts.
VkShaderStageFlags stagesOf(const GraphicsParts& parts);

// The parts as one structure, as if there were no libraries.
class LinkedGraphics {
public:
    // `own`: that names the libraries.
    LinkedGraphics(const Device& device, const VkGraphicsPipelineCreateInfo& own, GraphicsParts parts);
    LinkedGraphics(const LinkedGraphics&) = delete;
    LinkedGraphics& operator=(const LinkedGraphics&) = delete;

    // The render pass in it is one of the layer's. Without flags and structures of libraries, and without creation
    // feedback. Stages may name modules that are gone.
    const VkGraphicsPipelineCreateInfo& info() const { return m_info; }
    // Of info().pStages; null where the layer does not have the code.
    const std::vector<SharedWords>& words() const { return m_words; }
    GraphicsSubsets subsets() const;
    // Structures that the parts were given and that are not in info(), since nobody knows what they point to.
    StructureTypes notKept() const;
    // Null if the layouts of the parts have different sets and `own` does not say the layout of all.
    std::shared_ptr<SequenceLayout> layout() const { return m_layout; }
    // Null with dynamic rendering.
    std::shared_ptr<RenderPass> renderPass() const;
    // False if the driver refused a second render pass, or no part says with what is drawn.
    bool isUsable() const;

private:
    const GraphicsPart* find(GraphicsSubsets subset) const;
    void take(GraphicsSubsets subset, const GraphicsPart& part);
    void takeStages(GraphicsSubsets subset, const GraphicsPart& part);
    const GraphicsPart* passPart() const;
    std::shared_ptr<SequenceLayout> findLayout(const Device& device, VkPipelineLayout said) const;

    const GraphicsParts m_parts;
    VkGraphicsPipelineCreateInfo m_info{};
    ChainCopy m_chain;
    VkPipelineCreateFlags2 m_flags = 0;
    std::vector<VkPipelineShaderStageCreateInfo> m_stages;
    std::vector<SharedWords> m_words;
    std::vector<VkDynamicState> m_states;
    VkPipelineDynamicStateCreateInfo m_dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    std::shared_ptr<SequenceLayout> m_layout;
};

}  // namespace millrace::layer
