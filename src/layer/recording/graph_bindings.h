// SPDX-License-Identifier: Apache-2.0
// What is bound at VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, a bind point that the driver does not have. The feature
// that runs the graphs binds it elsewhere.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <memory>
#include <span>
#include <vector>

#include "layer/objects/pipeline_layouts.h"
#include "layer/recording/descriptor_write.h"

namespace millrace::layer {

struct GraphObject;

// What is bound at one set index.
struct SetBinding {
    enum class Kind { None, Set, DescriptorBuffer, EmbeddedSamplers, Push };

    Kind kind = Kind::None;
    std::shared_ptr<DescriptorSetLayout> layout;  // that it was bound for
    VkDescriptorSet set = VK_NULL_HANDLE;
    std::vector<uint32_t> dynamicOffsets;
    uint32_t bufferIndex = 0;
    VkDeviceSize bufferOffset = 0;
    std::vector<DescriptorWrite> writes;
};

class GraphBindings {
public:
    // vkCmdBindDescriptorSets2 and its like name shader stages, not bind points; the compute stage means the compute
    // bind point and, where nothing was bound there by name, this one.
    enum class Source { Named, Stages };

    GraphObject* pipeline = nullptr;

    void bindSets(Source source, const GraphLayout& layout, uint32_t first, uint32_t count, const VkDescriptorSet* sets,
                  uint32_t dynamicCount, const uint32_t* dynamicOffsets);
    void setBufferOffsets(Source source, const GraphLayout& layout, uint32_t first, uint32_t count,
                          const uint32_t* bufferIndices, const VkDeviceSize* offsets);
    void clearBufferOffsets();
    void bindEmbeddedSamplers(Source source, const GraphLayout& layout, uint32_t set);
    void push(Source source, const GraphLayout& layout, uint32_t set, std::vector<DescriptorWrite> writes);

    // Binds everything that fits the layout at the compute bind point. Sets that were bound for another layout are
    // left out, as they would be disturbed in Vulkan.
    void apply(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer, const GraphLayout& layout) const
    {
        apply(table, commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout.handle, layout.sets);
    }
    // The same elsewhere, for a layout with these sets.
    void apply(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer, VkPipelineBindPoint bindPoint,
               VkPipelineLayout layout, std::span<const std::shared_ptr<DescriptorSetLayout>> sets) const;

    void clear();

private:
    using Sets = std::vector<SetBinding>;

    SetBinding& at(Source source, uint32_t set);
    SetBinding& replace(Source source, const GraphLayout& layout, uint32_t set, SetBinding::Kind kind);
    const SetBinding* find(uint32_t set, const DescriptorSetLayout* layout) const;

    Sets m_named;
    Sets m_stages;
};

}  // namespace millrace::layer
