// SPDX-License-Identifier: Apache-2.0
// The buffers of a scene on a device.
#pragma once

#include "bench/gpu.h"
#include "bench/mesh/scene.h"

namespace millrace::bench {

class Data {
public:
    // `byHand`: also what programs by hand write.
    Data(Gpu& gpu, const Scene& scene, bool byHand);
    ~Data();
    Data(const Data&) = delete;

    uint64_t frame() const { return m_frame.address; }
    const GpuBuffer& commands() const { return m_commands; }
    const GpuBuffer& count() const { return m_count; }
    const GpuBuffer& counts() const { return m_counts; }
    const GpuBuffer& indices() const { return m_indices; }
    const GpuBuffer& draws() const { return m_draws; }

private:
    GpuBuffer keep(const GpuBuffer& buffer);
    uint64_t upload(std::span<const uint32_t> words);
    GpuBuffer reserve(uint64_t bytes, VkBufferUsageFlags2 usage = 0);
    void createForHand(const Scene& scene, Frame& frame);

    Gpu& m_gpu;
    std::vector<GpuBuffer> m_buffers;
    GpuBuffer m_frame, m_commands, m_count, m_counts, m_indices, m_draws;
};

}  // namespace millrace::bench
