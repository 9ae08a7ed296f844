// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines and shader objects that a feature makes in the driver's place.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "layer/objects/shader_modules.h"

namespace millrace::layer {

struct CommandBuffer;
struct SequenceLayout;

// Of shader objects, as long as the driver creates them.
using ReplacedCode = std::deque<std::vector<uint32_t>>;

// What a mesh node has received (docs/mesh-nodes.md), as draws.
struct MeshNodeDraws {
    uint64_t commands;                       // address of abi::MeshNodeCommand, one behind the other
    uint64_t count;                          // of a uint that says how many there are,
    uint32_t most;                           // and no more than that
    std::span<const uint8_t> pushConstants;  // of both stages, with abi::MeshNodeArguments
    // Binds the descriptor sets for a layout of the layer's.
    std::function<void(VkCommandBuffer, VkPipelineBindPoint, const SequenceLayout&)> bindSets;
};

// What draws a mesh node.
class MadeMeshNode {
public:
    virtual ~MadeMeshNode() = default;
    // Inside a render pass instance, with its dynamic state. Leaves a pipeline and sets bound; the draw is left out,
    // after a message, where it is impossible.
    virtual void draw(CommandBuffer& commandBuffer, const MeshNodeDraws& draws) const = 0;
};

// Called during the application's commands, on their threads.
class PipelineMaker {
public:
    // True for pipelines with stages that the driver does not know.
    virtual bool makes(const VkGraphicsPipelineCreateInfo& info) const = 0;
    // `info`: the application's, with flags and base pipeline as the driver may see them, and the application's stages.
    // The pipeline is one of the driver's, which the application may bind. Errors are those of
    // vkCreateGraphicsPipelines.
    virtual VkResult create(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                            const VkAllocationCallbacks* allocator, VkPipeline* out) = 0;
    // Of a mesh node. `words`: of the stages, a mesh shader whose DrawIndex says which payload it has and, maybe, a
    // fragment shader.
    virtual VkResult createNode(const VkGraphicsPipelineCreateInfo& info, std::vector<SharedWords> words,
                                VkPipelineCache cache, std::shared_ptr<const MadeMeshNode>& out) = 0;
    // True for pipelines that it has made.
    virtual bool isMade(VkPipeline pipeline) const = 0;
    // In front of the driver's destruction. Also for pipelines that it did not make.
    virtual void destroyed(VkPipeline pipeline) = 0;

    // Of shader objects. `infos`: as the driver may see them, but for stages that it does not know, which become others.
    // Errors are those of vkCreateShadersEXT.
    virtual VkResult replaceShaders(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code) = 0;
    // The application's structure, as it was given.
    virtual void shaderCreated(const VkShaderCreateInfoEXT& info, VkShaderEXT shader) = 0;
    // In front of the driver's destruction. Also for shaders that nobody told of.
    virtual void shaderDestroyed(VkShaderEXT shader) = 0;

protected:
    ~PipelineMaker() = default;
};

}  // namespace millrace::layer
