// SPDX-License-Identifier: Apache-2.0
// A scene, drawn in one way on one device. Everything is made and recorded once.
#pragma once

#include <memory>
#include <vector>

#include "bench/mesh/data.h"
#include "bench/mesh/pipelines.h"
#include "bench/mesh/target.h"

namespace millrace::bench {

struct Times {
    double frame = 0;    // nanoseconds on the device
    double compute = 0;  // of it, in front of what is drawn
};

class Way {
public:
    virtual ~Way();
    Way(const Way&) = delete;

    // The ways record themselves behind their constructors.
    void record();
    double recordNanoseconds() const { return m_recordNanoseconds; }
    Times run();
    // Of the last run.
    std::vector<uint32_t> pixels() const { return m_target.pixels(); }

protected:
    Way(Gpu& gpu, const Scene& scene, bool byHand);

    // Outside of what is timed.
    virtual void prepare(VkCommandBuffer) {}
    virtual void compute(VkCommandBuffer) {}
    virtual void draw(VkCommandBuffer) = 0;
    virtual void readBack(VkCommandBuffer) {}

    void push(VkCommandBuffer commands, uint32_t first = 0) const;
    void setPicture(VkCommandBuffer commands) const;
    static void barrier(VkCommandBuffer commands);

    Gpu& m_gpu;
    const Scene& m_scene;
    Pipelines m_pipelines;
    Data m_data;

private:
    Target m_target;
    VkCommandBuffer m_commands = VK_NULL_HANDLE;
    double m_recordNanoseconds = 0;
};

// By mesh shaders, the driver's or the layer's.
std::unique_ptr<Way> createMeshWay(Gpu& gpu, const Scene& scene);
// By an execution graph with a mesh node.
std::unique_ptr<Way> createNodeWay(Gpu& gpu, const Scene& scene);
// The graph's work by a kernel and an indirect draw of mesh shaders.
std::unique_ptr<Way> createTileWay(Gpu& gpu, const Scene& scene);

// By kernels that write vertices and indices, and plain indirect draws.
class HandWay : public Way {
public:
    HandWay(Gpu& gpu, const Scene& scene);
    ~HandWay() override;

    // Of the last run. Throws std::runtime_error where there was no room for it.
    Counts counts() const;

protected:
    void compute(VkCommandBuffer commands) override;
    void draw(VkCommandBuffer commands) override;
    void readBack(VkCommandBuffer commands) override;

private:
    void dispatchWrite(VkCommandBuffer commands) const;
    bool isOneKernel() const { return m_scene.draws == Draws::Each || m_scene.draws == Draws::Indirect; }

    VkPipeline m_find = VK_NULL_HANDLE, m_write = VK_NULL_HANDLE, m_draw = VK_NULL_HANDLE;
    GpuBuffer m_counts;
};

}  // namespace millrace::bench
