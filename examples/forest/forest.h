// SPDX-License-Identifier: Apache-2.0
// A forest: a compute shader writes a stream of records, and generated commands draw a tree for each.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <vector>

#include "device.h"

inline constexpr VkExtent2D kExtent{1200, 600};
inline constexpr uint32_t kPlaces = 128 * 128;  // where a tree may be
inline constexpr uint32_t kKinds = 2;           // of trees, each with a pipeline

// As plant.comp writes it, in std430 layout.
struct Record {
    uint32_t pipeline;  // index into the execution set
    alignas(8) float place[2];
    float size;
    uint32_t seed;
    VkDrawIndirectCommand draw;
};
static_assert(sizeof(Record) == 40);

class Forest {
public:
    explicit Forest(const Device& device);
    ~Forest();
    Forest(const Forest&) = delete;
    Forest& operator=(const Forest&) = delete;

    // The device writes the stream, and draws it in the same submission.
    void growAndDraw();
    // The host records a draw for each record of the stream that growAndDraw() has left.
    void drawByLoop();

    uint32_t treeCount() const { return *static_cast<const uint32_t*>(m_count.mapped); }
    // Of the last picture: rows of texels, red in the lowest byte.
    std::vector<uint32_t> pixels() const;

private:
    void createPipelines();
    VkPipeline createGraphics(VkShaderModule vertex, VkShaderModule fragment, bool isTree, uint32_t kind) const;
    void createTokens();
    void createSet();
    void createPreprocess();
    void grow(VkCommandBuffer cmd) const;
    void beginPicture(VkCommandBuffer cmd) const;
    void endPicture(VkCommandBuffer cmd) const;
    void execute(VkCommandBuffer cmd) const;

    const Device& m_device;
    Buffer m_stream, m_count, m_preprocess, m_readback;
    Image m_color, m_depth;
    VkPipelineLayout m_growLayout = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_grow = VK_NULL_HANDLE;
    VkPipeline m_ground = VK_NULL_HANDLE;
    VkPipeline m_trees[kKinds] = {};
    VkIndirectCommandsLayoutEXT m_tokens = VK_NULL_HANDLE;
    VkIndirectExecutionSetEXT m_set = VK_NULL_HANDLE;
};
