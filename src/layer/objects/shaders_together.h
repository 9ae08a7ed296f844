// SPDX-License-Identifier: Apache-2.0
// What a feature makes of shader objects that the application binds together.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "layer/base/registry.h"
#include "layer/objects/kept_shader.h"

namespace millrace::layer {

// Thread-safe.
template <typename Made>
class ShadersTogether {
public:
    // One for each handle that was asked for; null for a shader that is not kept.
    using Shaders = std::vector<std::shared_ptr<const KeptShader>>;

    // Requires: created from SPIR-V. A shader of which the driver refuses one of our layouts is not kept.
    void created(Device& device, const VkShaderCreateInfoEXT& info, VkShaderEXT shader)
    {
        auto kept = std::make_shared<KeptShader>(device, info);
        if (kept->isUsable())
            m_shaders.insert(handleId(shader), std::move(kept));
    }

    // In front of the driver's destruction. What was made of the shader goes too.
    void destroyed(VkShaderEXT shader)
    {
        m_shaders.remove(handleId(shader));
        // They go without the lock: their destruction leads to the driver.
        std::vector<std::shared_ptr<Made>> gone;
        const std::lock_guard lock(m_mutex);
        std::erase_if(m_together, [&](auto& known) {
            const bool isPart = std::ranges::count(known.first, shader) > 0;
            if (isPart)
                gone.push_back(std::move(known.second));
            return isPart;
        });
    }

    // Null for one that is not kept.
    const KeptShader* find(VkShaderEXT shader) const { return m_shaders.find(handleId(shader)); }

    // What `make` made of those shaders, in any order; it is called when they are first asked for, and again where it
    // gave nothing.
    template <typename Make>
    std::shared_ptr<Made> find(std::vector<VkShaderEXT> shaders, const Make& make)
    {
        std::ranges::sort(shaders);
        const std::lock_guard lock(m_mutex);
        const auto found = m_together.find(shaders);
        if (found != m_together.end())
            return found->second;
        Shaders kept;
        for (VkShaderEXT shader : shaders)
            kept.push_back(m_shaders.share(handleId(shader)));
        std::shared_ptr<Made> made = make(std::move(kept));
        if (made)
            m_together.emplace(std::move(shaders), made);
        return made;
    }

private:
    Registry<KeptShader> m_shaders;
    std::mutex m_mutex;
    std::map<std::vector<VkShaderEXT>, std::shared_ptr<Made>> m_together;
};

}  // namespace millrace::layer
