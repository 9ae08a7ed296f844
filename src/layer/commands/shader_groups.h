// SPDX-License-Identifier: Apache-2.0
// Shader groups of a graphics pipeline (VK_NV_device_generated_commands): each becomes a pipeline of its own.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <vector>

#include "layer/commands/combined_pipelines.h"

namespace millrace::layer {

struct Device;

// Immutable behind its creation.
class ShaderGroups {
public:
    struct Group {
        VkPipeline pipeline = VK_NULL_HANDLE;
        std::shared_ptr<KeptPipeline> kept;  // of our own ones, if variants can be made of it
        bool isOwn = false;                  // lives as long as this
    };

    // `pipeline`: with the state of the first group, which it is.
    ShaderGroups(Device& device, VkPipeline pipeline);
    ~ShaderGroups();
    ShaderGroups(const ShaderGroups&) = delete;
    ShaderGroups& operator=(const ShaderGroups&) = delete;

    // Once: the groups that the structure itself has. Returns an error of the driver's.
    VkResult create(const VkGraphicsPipelineCreateInfo& info, const VkGraphicsPipelineShaderGroupsCreateInfoNV& groups,
                    VkPipelineCache cache);
    // Behind that: those of other pipelines, which the application keeps as long.
    void append(const ShaderGroups& others);
    void append(Group group) { m_groups.push_back(std::move(group)); }

    const std::vector<Group>& groups() const { return m_groups; }
    Combination& combination() { return m_combination; }

private:
    VkResult createOne(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache);
    VkResult callDriver(const VkGraphicsPipelineCreateInfo& given, VkGraphicsPipelineCreateInfo info,
                        VkPipelineCache cache, VkPipeline& out);

    Device& m_device;
    std::vector<Group> m_groups;
    Combination m_combination;
};

}  // namespace millrace::layer
