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

class KeptShader;
struct CommandBuffer;
struct SequenceLayout;

// Of shader objects, as long as the driver creates them.
using ReplacedCode = std::deque<std::vector<uint32_t>>;

// Draws whose grids the device has by address: what a mesh node has received (docs/mesh-nodes.md), or what sequences of
// generated commands draw.
struct ListedDraws {
    const char* what;                        // they are, for messages
    uint64_t commands;                       // address of the first VkDrawMeshTasksIndirectCommandEXT,
    uint32_t stride;                         // bytes to the next
    uint64_t count;                          // address of a uint that says how many there are, or 0: there are `most`,
    uint32_t most;                           // and no more than that
    std::span<const uint8_t> pushConstants;  // of all stages
    // Binds the descriptor sets for a layout of the layer's.
    std::function<void(VkCommandBuffer, VkPipelineBindPoint, const SequenceLayout&)> bindSets;
};

// Runs task and mesh shaders of the layer's for such draws.
class ListDrawer {
public:
    virtual ~ListDrawer() = default;
    // Inside a render pass instance, with its dynamic state. Leaves a pipeline or shader objects and sets bound; the
    // draws are left out, after a message, where they are impossible.
    virtual void draw(CommandBuffer& commandBuffer, const ListedDraws& draws) const = 0;
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
    // What draws lists with a pipeline. `words`: of the stages, whose DrawIndex is the number in the list. `layout`: in
    // place of the structure's.
    virtual VkResult createDrawer(const VkGraphicsPipelineCreateInfo& info, std::vector<SharedWords> words,
                                  std::shared_ptr<SequenceLayout> layout, VkPipelineCache cache,
                                  std::shared_ptr<const ListDrawer>& out) = 0;
    // Likewise with shader objects. `words`: in place of their own. Errors are those of vkCreateShadersEXT, or
    // VK_ERROR_UNKNOWN after a message.
    virtual VkResult createDrawer(std::span<const std::shared_ptr<const KeptShader>> shaders,
                                  std::vector<SharedWords> words, std::shared_ptr<const ListDrawer>& out) = 0;
    // True for pipelines that it has made.
    virtual bool isMade(VkPipeline pipeline) const = 0;
    // In front of the driver's destruction. Also for pipelines that it did not make.
    virtual void destroyed(VkPipeline pipeline) = 0;

    // Of shader objects. `infos`: as the driver may see them, but for stages that it does not know, which become
    // others. Errors are those of vkCreateShadersEXT.
    virtual VkResult replaceShaders(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code) = 0;
    // The application's structure, as it was given.
    virtual void shaderCreated(const VkShaderCreateInfoEXT& info, VkShaderEXT shader) = 0;
    // In front of the driver's destruction. Also for shaders that nobody told of.
    virtual void shaderDestroyed(VkShaderEXT shader) = 0;

protected:
    ~PipelineMaker() = default;
};

}  // namespace millrace::layer
