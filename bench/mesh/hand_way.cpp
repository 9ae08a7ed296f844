// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <stdexcept>

#include "bench/mesh/way.h"
#include "shaders/bench_mesh_shaders.h"

namespace millrace::bench {

namespace {

struct Kernels {
    std::span<const uint32_t> find;  // none: there is nothing to be found
    std::span<const uint32_t> write;
};

Kernels kernelsOf(const Scene& scene)
{
    if (scene.shape == Shape::Meshlets)
        return {shaders::mesh_meshlets_find, shaders::mesh_meshlets_write};
    if (scene.shape == Shape::Grass)
        return {shaders::mesh_grass_find, shaders::mesh_grass_write};
    if (scene.draws == Draws::IndirectCount)
        return {shaders::mesh_tiny_expand, shaders::mesh_tiny_write};
    return {{}, shaders::mesh_write_draws};
}

}  // namespace

HandWay::HandWay(Gpu& gpu, const Scene& scene) : Way(gpu, scene, true)
{
    m_counts = gpu.createBuffer(sizeof(Counts), 0, true);
    const Kernels kernels = kernelsOf(scene);
    if (!kernels.find.empty())
        m_find = m_pipelines.createCompute(kernels.find);
    m_write = m_pipelines.createCompute(kernels.write);
    m_draw = m_pipelines.createDraw({.vertex = shaders::mesh_hand_vertex});
}

HandWay::~HandWay()
{
    m_gpu.destroy(m_counts);
}

void HandWay::compute(VkCommandBuffer commands)
{
    const uint32_t units = m_scene.frame.units;
    const uint32_t groups = m_scene.draws == Draws::IndirectCount ? 1 : (units + 63) / 64;
    constexpr Counts kNone;
    vkCmdUpdateBuffer(commands, m_data.counts().handle, 0, sizeof kNone, &kNone);
    barrier(commands);
    push(commands);
    if (!isOneKernel()) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_find);
        vkCmdDispatch(commands, groups, 1, 1);
        barrier(commands);
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_write);
    if (isOneKernel())
        vkCmdDispatch(commands, groups, 1, 1);
    else
        vkCmdDispatchIndirect(commands, m_data.counts().handle, offsetof(Counts, items));
    barrier(commands);
}

void HandWay::draw(VkCommandBuffer commands)
{
    const uint32_t units = m_scene.frame.units;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_draw);
    vkCmdBindIndexBuffer(commands, m_data.indices().handle, 0, VK_INDEX_TYPE_UINT32);
    push(commands);
    if (m_scene.draws == Draws::Indirect)
        vkCmdDrawIndexedIndirect(commands, m_data.draws().handle, 0, units, sizeof(VkDrawIndexedIndirectCommand));
    else if (m_scene.draws == Draws::Each)
        for (uint32_t i = 0; i < units; ++i)
            vkCmdDrawIndexed(commands, 6, 1, 6 * i, 0, 0);
    else
        vkCmdDrawIndexedIndirect(commands, m_data.counts().handle, offsetof(Counts, indices), 1, 0);
}

void HandWay::readBack(VkCommandBuffer commands)
{
    const VkBufferCopy whole{0, 0, sizeof(Counts)};
    vkCmdCopyBuffer(commands, m_data.counts().handle, m_counts.handle, 1, &whole);
}

Counts HandWay::counts() const
{
    std::array<uint32_t, sizeof(Counts) / 4> words;
    std::copy_n(m_counts.words, words.size(), words.begin());
    auto counts = std::bit_cast<Counts>(words);
    if (isOneKernel()) {
        counts.items = m_scene.frame.units;
        counts.vertices = 4 * counts.items;
        counts.indices = 6 * counts.items;
    }
    const Capacity& room = m_scene.capacity;
    if (counts.items > room.items || counts.vertices > room.vertices || counts.indices / 3 > room.triangles)
        throw std::runtime_error(m_scene.name + ": what is seen is more than there is room for by hand");
    return counts;
}

}  // namespace millrace::bench
