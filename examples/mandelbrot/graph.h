// SPDX-License-Identifier: Apache-2.0
// The execution graph of mandelbrot.spvasm: created once, run as often as wanted.
#pragma once

#include <optional>
#include <vector>

#include "device.h"
#include "view.h"

struct RunTimes {
    std::optional<double> gpuMs;  // between timestamps around the dispatch, if the queue has any
    double hostMs = 0;            // from submission until the fence is signaled
};

class Graph {
public:
    // Without scratchBytes it takes what the implementation can use, up to 256 MiB.
    Graph(const Device& device, const View& view, std::optional<uint64_t> scratchBytes);
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    RunTimes run();

    // Of the latest run.
    std::vector<uint32_t> dwells() const;
    Counters counters() const;

    const VkExecutionGraphPipelineScratchSizeAMDX& scratchLimits() const { return m_scratchLimits; }
    uint64_t scratchBytes() const { return m_scratch.size; }

private:
    void createLayout();
    void createPipeline();
    void createBuffers(std::optional<uint64_t> scratchBytes);
    void createCommands();
    void record();

    const Device& m_device;
    View m_view;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkDescriptorPool m_descriptorPool = VK_NULL_HANDLE;
    VkDescriptorSet m_set = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
    VkExecutionGraphPipelineScratchSizeAMDX m_scratchLimits{};
    Buffer m_image, m_counters, m_scratch;  // on the device
    Buffer m_result;                        // on the host: counters, then image
    VkCommandPool m_commandPool = VK_NULL_HANDLE;
    VkCommandBuffer m_commands = VK_NULL_HANDLE;
    VkQueryPool m_timestamps = VK_NULL_HANDLE;
    VkFence m_fence = VK_NULL_HANDLE;
};
