// SPDX-License-Identifier: Apache-2.0
// What Millrace's side is made of: pipeline, arguments, memory, inputs and timestamps.
#pragma once

#include <memory>

#include "bench/peer/graph.h"
#include "harness/runner.h"

namespace millrace::bench::peer {

class Stamps {
public:
    explicit Stamps(harness::Device& device);
    ~Stamps();
    Stamps(const Stamps&) = delete;

    void reset(VkCommandBuffer cmd) const;
    // Number 0 or 1, when all that is recorded in front has ended.
    void record(VkCommandBuffer cmd, uint32_t number) const;
    double microseconds() const;

private:
    harness::Device& m_device;
    VkQueryPool m_pool = VK_NULL_HANDLE;
};

// A buffer or image in the device's own memory, and places for results that the host sees.
class GpuResource {
public:
    GpuResource(harness::Device& device, const Resource& resource, uint32_t slots);
    ~GpuResource();
    GpuResource(const GpuResource&) = delete;

    VkDeviceAddress address() const { return m_buffer.address; }
    VkImageView view() const { return m_view; }
    void recordClear(VkCommandBuffer cmd) const;
    void recordKeep(VkCommandBuffer cmd, uint32_t slot) const;
    Words kept(uint32_t slot) const;

private:
    void createImage(uint32_t width, uint32_t height);
    void toGeneral() const;

    harness::Device& m_device;
    const uint64_t m_bytes;
    const VkExtent3D m_extent;
    harness::Buffer m_buffer;   // if it is none of an image
    harness::Buffer m_initial;  // if it is not zero
    harness::Buffer m_results;
    VkImage m_image = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    VkImageView m_view = VK_NULL_HANDLE;
};

// The pipeline layout: a set of one image for each table, the set of local root arguments, push constants.
class ArgumentLayout {
public:
    // `localSet`: its number, or 0 if there is none.
    ArgumentLayout(harness::Device& device, uint32_t images, uint32_t localSet, uint32_t pushConstantBytes);
    ~ArgumentLayout();
    ArgumentLayout(const ArgumentLayout&) = delete;

    VkPipelineLayout handle() const { return m_layout; }
    void writeImage(uint32_t set, VkImageView view) const;
    void writeLocalTable(const Words& words);
    void bind(VkCommandBuffer cmd, const std::vector<uint8_t>& pushConstants) const;

private:
    void addSet(VkDescriptorType type, uint32_t bindings);
    void allocateSets();

    harness::Device& m_device;
    const uint32_t m_localSet;
    std::vector<VkDescriptorSetLayout> m_setLayouts;
    std::vector<VkDescriptorSet> m_sets;
    VkDescriptorPool m_pool = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    harness::Buffer m_localTable;
};

// An execution graph with scratch memory of maxSize, which is initialized once.
class GraphPipeline {
public:
    GraphPipeline(harness::Device& device, VkPipelineLayout layout, const std::vector<harness::Stage>& stages);
    ~GraphPipeline();
    GraphPipeline(const GraphPipeline&) = delete;

    VkPipeline handle() const { return m_pipeline; }
    const harness::Buffer& scratch() const { return m_scratch; }
    uint32_t nodeIndex(const std::string& name) const;

private:
    void initialize();

    harness::Device& m_device;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
    harness::Buffer m_scratch;
};

// Launches, on the host or in the device's own memory.
class Inputs {
public:
    // `work` outlives this.
    Inputs(harness::Device& device, const GraphPipeline& pipeline, const Work& work);
    ~Inputs();
    Inputs(const Inputs&) = delete;

    void recordDispatch(VkCommandBuffer cmd) const;

private:
    void moveToDevice();

    harness::Device& m_device;
    const GraphPipeline& m_pipeline;
    std::vector<VkDispatchGraphInfoAMDX> m_infos;
    std::vector<harness::Buffer> m_buffers;  // of the device
    bool m_isOnDevice = false;
    VkDispatchGraphCountInfoAMDX m_count{};
};

}  // namespace millrace::bench::peer
