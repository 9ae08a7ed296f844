// SPDX-License-Identifier: Apache-2.0
// Shader objects of the application (VK_EXT_shader_object), of which variants are made as of pipelines.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <vector>

#include "layer/commands/kept_pipelines.h"
#include "layer/objects/shaders_together.h"

namespace millrace::layer {

// Thread-safe.
class ShaderObjects {
public:
    explicit ShaderObjects(Device& device) : m_device(device) {}

    void created(const VkShaderCreateInfoEXT& info, VkShaderEXT shader);
    // In front of the driver's destruction.
    void destroyed(VkShaderEXT shader) { m_shaders.destroyed(shader); }

    // Those that are bound together, one for each stage, in any order. Null if the layer does not have the code of all
    // of them, as of those that were created from a binary.
    std::shared_ptr<KeptPipeline> find(std::vector<VkShaderEXT> shaders);

    // 0 for one that it does not have the code of.
    VkShaderStageFlags stageOf(VkShaderEXT shader) const;

private:
    using Shaders = ShadersTogether<KeptPipeline>::Shaders;
    std::shared_ptr<KeptPipeline> create(Shaders shaders) const;

    Device& m_device;
    ShadersTogether<KeptPipeline> m_shaders;
};

}  // namespace millrace::layer
