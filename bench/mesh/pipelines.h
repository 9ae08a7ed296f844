// SPDX-License-Identifier: Apache-2.0
// Pipelines of the scenes, all with one layout: push constants.
#pragma once

#include <span>

#include "bench/gpu.h"

namespace millrace::bench {

struct PushConstants {
    uint64_t frame = 0;
    uint32_t first = 0;  // number of a draw
    uint32_t pad = 0;
};

struct DrawShaders {
    std::span<const uint32_t> task;
    std::span<const uint32_t> mesh;
    std::span<const uint32_t> vertex;  // without a mesh shader
    const char* node = nullptr;        // the mesh shader is a mesh node of that name
};

class Pipelines {
public:
    explicit Pipelines(Gpu& gpu);
    ~Pipelines();
    Pipelines(const Pipelines&) = delete;

    VkPipelineLayout layout() const { return m_layout; }
    VkPipeline createDraw(const DrawShaders& shaders);
    // `node`: it is a node of that name.
    VkPipeline createCompute(std::span<const uint32_t> words, const char* node = nullptr);
    VkPipeline createGraph(std::span<const VkPipeline> libraries);
    void push(VkCommandBuffer commands, const PushConstants& constants) const;
    // In place of those, for a kernel that has two addresses.
    void pushAddresses(VkCommandBuffer commands, uint64_t from, uint64_t to) const;

private:
    VkPipeline keep(VkPipeline pipeline);

    Gpu& m_gpu;
    VkShaderStageFlags m_stages;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    std::vector<VkPipeline> m_pipelines;
};

}  // namespace millrace::bench
