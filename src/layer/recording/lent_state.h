// SPDX-License-Identifier: Apache-2.0
// What the layer has bound in the application's place, in the driver's command buffer that records. The application's
// is bound again only when a command of the application's needs it, so that several commands of the layer's in a row
// bind what they need once. Not thread-safe, like the command buffer.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstdint>

namespace millrace::layer {

class BoundState;

class LentState {
public:
    // Something of the layer's is bound at the bind point (graphics or compute), and other constants are pushed.
    void lend(VkCommandBuffer stream, VkPipelineBindPoint bindPoint);
    // The same for graphics, and the application's descriptor sets are bound with that layout. `order`: of the command
    // of the application's that bound sets last (BoundState::setsOrder()).
    void lendSets(VkCommandBuffer stream, VkPipelineLayout layout, uint64_t order);
    // Likewise this pipeline is bound, or shader objects if it is null, for graphics (BoundState::pipelineOrder()).
    void lendPipeline(VkCommandBuffer stream, VkPipeline pipeline, uint64_t order);
    // This index buffer is bound (BoundState::indexBufferOrder()).
    void lendIndexBuffer(VkCommandBuffer stream, VkBuffer buffer, uint64_t order);
    // True if the driver still has what lendSets() said, or lendPipeline(), and lend() has not been called since.
    bool hasSets(VkCommandBuffer stream, VkPipelineLayout layout, uint64_t order) const
    {
        return stream == m_stream && m_sets == Sets{layout, order};
    }
    bool hasPipeline(VkCommandBuffer stream, VkPipeline pipeline, uint64_t order) const
    {
        return stream == m_stream && m_pipeline == Pipeline{pipeline, order};
    }
    // The same of lendIndexBuffer(), whatever lend() was called for.
    bool hasIndexBuffer(VkCommandBuffer stream, VkBuffer buffer, uint64_t order) const
    {
        return stream == m_stream && m_indexBuffer == IndexBuffer{buffer, order};
    }
    bool isLent() const { return m_stream != VK_NULL_HANDLE; }
    // Binds what is the application's again. In another command buffer than that which was lent it is bound already.
    void settle(const BoundState& bound, const VkuDeviceDispatchTable& table, VkCommandBuffer stream);
    // All is bound that is the application's.
    void clear() { *this = {}; }

private:
    struct Sets {
        VkPipelineLayout layout = VK_NULL_HANDLE;
        uint64_t order = 0;
        bool operator==(const Sets&) const = default;
    };
    struct Pipeline {
        VkPipeline pipeline = VK_NULL_HANDLE;
        uint64_t order = 0;
        bool operator==(const Pipeline&) const = default;
    };
    struct IndexBuffer {
        VkBuffer buffer = VK_NULL_HANDLE;
        uint64_t order = 0;
        bool operator==(const IndexBuffer&) const = default;
    };
    void use(VkCommandBuffer stream);
    void mark(VkCommandBuffer stream, VkPipelineBindPoint bindPoint);

    VkCommandBuffer m_stream = VK_NULL_HANDLE;  // null: nothing is lent
    uint32_t m_points = 0;                      // a bit for each
    Sets m_sets;
    Pipeline m_pipeline;
    IndexBuffer m_indexBuffer;
};

}  // namespace millrace::layer
