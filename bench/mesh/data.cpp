// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/data.h"

#include <algorithm>
#include <bit>

namespace millrace::bench {

namespace {

constexpr VkBufferUsageFlags2 kStorage = VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT;
constexpr VkBufferUsageFlags2 kIndirect = VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT;
constexpr uint32_t kDrawBytes = 20;  // the largest indirect command

}  // namespace

Data::Data(Gpu& gpu, const Scene& scene, bool byHand) : m_gpu(gpu)
{
    Frame frame = scene.frame;
    frame.meshlets = upload(scene.meshlets);
    frame.corners = upload(scene.corners);
    frame.triangles = upload(scene.triangles);
    frame.objects = upload(scene.objects);
    if (!scene.commands.empty()) {
        m_commands = keep(gpu.createFilled(scene.commands, kStorage | kIndirect));
        m_count = keep(gpu.createFilled({&scene.commandCount, 1}, kStorage | kIndirect));
        frame.commands = m_commands.address;
        frame.count = m_count.address;
    }
    if (byHand)
        createForHand(scene, frame);
    const auto words = std::bit_cast<std::array<uint32_t, sizeof(Frame) / 4>>(frame);
    m_frame = keep(gpu.createFilled(words, kStorage));
}

void Data::createForHand(const Scene& scene, Frame& frame)
{
    const Capacity& capacity = scene.capacity;
    m_counts = reserve(sizeof(Counts), kIndirect);
    frame.counts = m_counts.address;
    if (scene.draws == Draws::Nodes) {
        const uint64_t tiles = scene.frame.units / 64;
        m_draws = reserve(tiles * kDrawBytes, kIndirect);
        frame.tiles = reserve(tiles * kTileItems * 4).address;
    } else {
        m_draws = reserve(uint64_t{scene.frame.units} * kDrawBytes, kIndirect);
        m_indices = reserve(uint64_t{capacity.triangles} * kTriangleBytes, VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT);
        frame.items = reserve(uint64_t{capacity.items} * kItemBytes).address;
        frame.vertices = reserve(uint64_t{capacity.vertices} * kVertexBytes).address;
        frame.indices = m_indices.address;
    }
    frame.draws = m_draws.address;
}

Data::~Data()
{
    for (const GpuBuffer& buffer : m_buffers)
        m_gpu.destroy(buffer);
}

GpuBuffer Data::keep(const GpuBuffer& buffer)
{
    m_buffers.push_back(buffer);
    return buffer;
}

uint64_t Data::upload(std::span<const uint32_t> words)
{
    return words.empty() ? 0 : keep(m_gpu.createFilled(words, kStorage)).address;
}

GpuBuffer Data::reserve(uint64_t bytes, VkBufferUsageFlags2 usage)
{
    return keep(m_gpu.createBuffer(bytes, kStorage | usage, false));
}

}  // namespace millrace::bench
