// SPDX-License-Identifier: Apache-2.0
// The kernels in front of generated dispatches, and of task and mesh shaders whose grids the device knows, which sort
// sequences by pipeline (src/shaders/meta/commands).
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>

#include "abi/commands.h"

namespace millrace::layer {

struct Device;

// Where the kernels find and leave things, in bytes from the beginning of the memory for preprocessing.
struct SortMemory {
    uint64_t dispatches = 0;
    uint64_t tables = 0;
    uint64_t entries = 0;
    uint64_t sums = 0;
    uint64_t bytes = 0;  // in all
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
    // With barriers between them. Binds at the compute bind point and pushes constants. Reads the stream and writes the
    // memory in compute shaders.
    void record(VkCommandBuffer commandBuffer, const abi::SortArguments& arguments) const;

private:
    enum Kernel { Count, Scan, Place, kCount };

    Device& m_device;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    std::array<VkPipeline, kCount> m_pipelines{};
};

}  // namespace millrace::layer
