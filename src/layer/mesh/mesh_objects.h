// SPDX-License-Identifier: Apache-2.0
// Shader objects (VK_EXT_shader_object) of task and mesh shaders, and of the fragment shaders behind them.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <vector>

#include "layer/mesh/mesh_pipelines.h"
#include "layer/objects/shaders_together.h"

namespace millrace::layer {

// Thread-safe. In the driver, a task or mesh shader has an object that never runs: its handle is the application's.
class MeshObjects {
public:
    explicit MeshObjects(Device& device) : m_device(device) {}

    // See PipelineMaker.
    VkResult replace(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code) const;
    void created(const VkShaderCreateInfoEXT& info, VkShaderEXT shader);
    void destroyed(VkShaderEXT shader) { m_shaders.destroyed(shader); }

    // Of shaders that are bound together, in any order; made when it is first asked for. Null without a mesh shader, or
    // after a message.
    std::shared_ptr<MeshPipeline> find(std::vector<VkShaderEXT> shaders);

    using Shaders = std::span<const std::shared_ptr<const KeptShader>>;
    // With other code than theirs. Null without a mesh shader, or after a message.
    std::shared_ptr<MeshPipeline> create(Shaders shaders, std::span<const SharedWords> words) const;

private:
    void tellWhatIsNotKept(const KeptShader& shader) const;
    VkResult createCompute(const KeptShader& shader, const mesh::Stage& lowered, VkPipeline& out) const;
    VkResult createDrawing(const KeptShader& mesh, const KeptShader* fragment, const mesh::LoweredPipeline& lowered,
                           MeshPipeline& out) const;

    Device& m_device;
    ShadersTogether<MeshPipeline> m_shaders;
};

}  // namespace millrace::layer
