// SPDX-License-Identifier: Apache-2.0
// Shader objects of the application (VK_EXT_shader_object), of which variants are made as of pipelines.
#pragma once

#include <vulkan/vulkan.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "layer/base/registry.h"
#include "layer/commands/kept_pipelines.h"

namespace millrace::layer {

class KeptShader;

// Thread-safe.
class ShaderObjects {
public:
    explicit ShaderObjects(Device& device) : m_device(device) {}

    void created(const VkShaderCreateInfoEXT& info, VkShaderEXT shader);
    // In front of the driver's destruction.
    void destroyed(VkShaderEXT shader);

    // Those that are bound together, one for each stage, in any order. Null if the layer does not have the code of all
    // of them, as of those that were created from a binary.
    std::shared_ptr<KeptPipeline> find(std::vector<VkShaderEXT> shaders);

    // 0 for one that it does not have the code of.
    VkShaderStageFlags stageOf(VkShaderEXT shader) const;

private:
    std::shared_ptr<KeptPipeline> create(const std::vector<std::shared_ptr<const KeptShader>>& shaders) const;

    Device& m_device;
    Registry<KeptShader> m_shaders;
    std::mutex m_mutex;
    std::map<std::vector<VkShaderEXT>, std::shared_ptr<KeptPipeline>> m_together;
};

}  // namespace millrace::layer
