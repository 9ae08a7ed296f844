// SPDX-License-Identifier: Apache-2.0
// Pictures of cells: what is drawn, and what must come out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mesh/mesh_device.h"

namespace millrace::meshtest {

inline constexpr uint32_t kSize = 64;  // pixels each way
inline constexpr uint32_t kCells = 8;  // each way
inline constexpr uint32_t kSquares = 16;
inline constexpr uint32_t kClear = 0x80402010;
inline constexpr uint32_t kAlpha = 51;

using Pixels = std::vector<uint32_t>;  // row by row, red in the lowest byte

struct Cell {
    uint32_t count = kSquares;
    std::array<uint32_t, kSquares> colors{};
};

// kCells * kCells of them, with all counts, some squares culled.
std::vector<Cell> randomCells(uint32_t seed);

// What drawing these cells, from the upper left one on in rows of `width`, makes of a picture. `green`: what is added.
void paint(Pixels& pixels, const std::vector<Cell>& cells, uint32_t width, uint32_t height, uint32_t green = 0);

// The same cells as shaders with VIEWS draw them in a view: columns elsewhere, other green, others culled.
std::vector<Cell> cellsOfView(const std::vector<Cell>& cells, uint32_t view);

// A target and commands that draw to it.
class Picture {
public:
    // `viewMask`: of instances of dynamic rendering; the target has a layer for each view up to the last one.
    explicit Picture(MeshDevice& meshDevice, uint32_t viewMask = 0);

    layertest::Buffer createCells(const std::vector<Cell>& cells);
    VkDescriptorSet createSet(const std::vector<Cell>& cells);

    VkRenderingInfo rendering(VkRenderingFlags flags = 0, VkAttachmentLoadOp loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR);
    void prepare(VkCommandBuffer cmd) const;  // in front of all
    void begin(VkCommandBuffer cmd, VkRenderingFlags flags = 0,
               VkAttachmentLoadOp loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR);
    // Of TestDevice::createRenderPass(); sets no state.
    void beginPass(VkCommandBuffer cmd, VkRenderPass pass,
                   VkSubpassContents contents = VK_SUBPASS_CONTENTS_INLINE) const;
    // A secondary one that continues the instance, with its state set.
    VkCommandBuffer beginSecondary() const;
    // One that continues nothing.
    VkCommandBuffer beginLooseSecondary() const;
    static void setState(VkCommandBuffer cmd);  // viewport and scissor
    void bind(VkCommandBuffer cmd, VkPipeline pipeline, VkDescriptorSet set, uint32_t firstCell = 0) const;
    // Copies the target to the host at the end of the command buffer.
    void copy(VkCommandBuffer cmd) const;
    Pixels pixels(uint32_t layer = 0) const;

private:
    const uint32_t m_viewMask;
    const uint32_t m_layers;

public:
    const layertest::Image target;

private:
    MeshDevice& m_device;
    const layertest::Buffer m_pixels;
    VkRenderingAttachmentInfo m_attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
};

}  // namespace millrace::meshtest
