// SPDX-License-Identifier: Apache-2.0
// The kernels in front of generated dispatches and draws, which sort sequences by pipeline (src/shaders/meta/commands).
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>

#include "abi/commands.h"
#include "commands/layout.h"

namespace millrace::layer {

struct Device;

// Where the kernels find and leave things, in bytes from the beginning of the memory for preprocessing.
struct SortMemory : commands::PreprocessMemory {
    uint64_t sums = 0;
    uint32_t blockCount = 0;
};

class Kernels {
public:
    explicit Kernels(Device& device) : m_device(device) {}
    ~Kernels();
    Kernels(const Kernels&) = delete;
    Kernels& operator=(const Kernels&) = delete;

    // Once. Returns an error of the driver.
    VkResult create();
    // All with barriers between them. They bind at the compute bind point and push constants, read the stream and write
    // the memory in compute shaders.
    // Tables and dispatches of the pipelines.
    void sort(VkCommandBuffer commandBuffer, const abi::SortArguments& arguments) const;
    // Behind that: rows of draws of the pipelines. `dispatches`: SortArguments::dispatches as an offset in the buffer.
    void expand(VkCommandBuffer commandBuffer, abi::SortArguments arguments, VkBuffer buffer,
                VkDeviceSize dispatches) const;
    // Rows of draws of the sequences, and the count of each pipeline or, without SortArguments::drawCounts, a row for
    // each.
    void order(VkCommandBuffer commandBuffer, const abi::SortArguments& arguments) const;
    // Records from several streams, in front of all of those.
    void gather(VkCommandBuffer commandBuffer, const abi::GatherArguments& arguments) const;

private:
    enum Kernel { Count, Scan, Place, Sort, Expand, Order, Gather, kCount };

    template <typename Arguments>
    void bind(VkCommandBuffer commandBuffer, Kernel kernel, const Arguments& arguments) const;

    Device& m_device;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    std::array<VkPipeline, kCount> m_pipelines{};
};

}  // namespace millrace::layer
