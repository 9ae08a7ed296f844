// SPDX-License-Identifier: Apache-2.0
// Draws of a series with nothing between them inside of the instance either: one command draws all of them. Each is an
// instance that has its number, by which the vertex shader finds what the mesh shaders have left for it.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstdint>

#include "abi/mesh.h"
#include "layer/recording/current_stream.h"

namespace millrace::layer {

class MeshBatch final : public CurrentStream::PutOff {
public:
    struct Draw {
        VkPipelineLayout layout;
        uint64_t upload;    // the address of its abi::MeshUpload
        VkBuffer commands;  // where its abi::MeshDrawCommand is, or abi::MeshIndexedCommand
        VkDeviceSize offset;
        VkBuffer indices;  // null: it has no index buffer
        bool operator==(const Draw&) const = default;
    };

    // A command has `most` draws at most.
    MeshBatch(const VkuDeviceDispatchTable& table, uint32_t most) : m_table(table), m_most(most) {}

    // How many draws are put off: the number of the next one.
    uint32_t count() const { return m_count; }
    // Whether the draw is the next one there. What was bound for the first one is bound for it.
    bool takes(const Draw& draw, VkCommandBuffer stream) const;
    // Commands of its draws are `stride` bytes apart, and uploads `uploadStride`.
    void begin(const Draw& first, uint32_t stride, uint32_t uploadStride, VkCommandBuffer stream);
    // Requires takes().
    void add() { ++m_count; }
    void record(VkCommandBuffer stream) override;

private:
    const VkuDeviceDispatchTable& m_table;
    const uint32_t m_most;
    Draw m_first{};
    uint32_t m_stride = 0;
    uint32_t m_uploadStride = 0;
    VkCommandBuffer m_stream = VK_NULL_HANDLE;
    uint32_t m_count = 0;
};

}  // namespace millrace::layer
