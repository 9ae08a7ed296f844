// SPDX-License-Identifier: Apache-2.0
// What is measured: execution graphs, and kernels that hand-written programs are made of. Both get the same structure
// as push constants.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/suite/memory.h"
#include "bench/suite/shaders.h"
#include "harness/runner.h"

namespace millrace::bench {

using Arguments = std::vector<uint8_t>;

// Of a structure of addresses and words without padding.
template <typename Struct>
Arguments argumentsOf(const Struct& values)
{
    Arguments bytes(sizeof values);
    std::memcpy(bytes.data(), &values, sizeof values);
    return bytes;
}

// A node of a graph. `node` is the name that others send to.
struct Node {
    std::string file;
    std::string node;
    Definitions definitions{};
    uint32_t arraySize = 1;  // so many nodes of that name run this shader
    std::map<uint32_t, uint32_t> specialization{};
    uint32_t firstIndex = 0;
    std::string entryPoint{};  // of the shader; empty: named as the node
};

class Graph {
public:
    // Scratch memory is of maxSize, or `scratchLimit` if that is less; never less than minSize.
    Graph(harness::Device& device, const std::vector<Node>& nodes, uint32_t argumentBytes,
          VkDeviceSize scratchLimit = VK_WHOLE_SIZE);
    ~Graph();
    Graph(const Graph&) = delete;

    // Both count for what is recorded from then on.
    void setArguments(const Arguments& arguments) { m_runner.pushConstants = arguments; }
    void setLaunches(std::vector<harness::Launch> launches) { m_launches = std::move(launches); }
    void record(VkCommandBuffer cmd);
    // The same launches, which the device has in memory of its own.
    void useDeviceInputs();
    // Requires: useDeviceInputs(). `form`: not Host.
    void recordDeviceInputs(VkCommandBuffer cmd, harness::Form form);
    VkDeviceSize scratchBytes() const { return m_scratch.size; }
    VkDeviceSize leastScratchBytes() const { return m_sizes.minSize; }

    // Scratch memory may be minSize and so many steps more.
    VkDeviceSize scratchStep() const { return std::max<VkDeviceSize>(m_sizes.sizeGranularity, 1); }
    uint64_t scratchSteps() const { return (m_scratch.size - m_sizes.minSize) / scratchStep(); }
    // A part of it from now on. For what is recorded from then on.
    void useScratch(uint64_t steps);
    VkDeviceAddress scratchAddress() const { return m_scratch.address; }
    // Waits until it is done.
    void readScratch(const harness::Buffer& to, VkDeviceSize at, VkDeviceSize bytes);

private:
    void initialize(VkDeviceSize bytes);
    harness::Buffer usedScratch() const;

    harness::Runner m_runner;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
    VkExecutionGraphPipelineScratchSizeAMDX m_sizes{};
    harness::Buffer m_scratch;
    VkDeviceSize m_used = 0;  // bytes of it
    std::vector<harness::Launch> m_launches;
    VkDispatchGraphCountInfoAMDX m_deviceInputs{};
    std::unique_ptr<Memory> m_deviceMemory;  // a count info and what it leads to
};

class Kernel {
public:
    Kernel(harness::Device& device, const std::string& file, uint32_t argumentBytes,
           const Definitions& definitions = {});
    ~Kernel();
    Kernel(const Kernel&) = delete;

    void bind(VkCommandBuffer cmd, const Arguments& arguments) const;
    void dispatch(VkCommandBuffer cmd, const Arguments& arguments, uint32_t x, uint32_t y = 1, uint32_t z = 1) const;
    // At least so many workgroups, in rows of 1024: devices need not take more than 65535 in one dimension.
    void dispatchRows(VkCommandBuffer cmd, const Arguments& arguments, uint32_t groups) const;
    void dispatchIndirect(VkCommandBuffer cmd, const Arguments& arguments, VkBuffer buffer, VkDeviceSize at) const;

private:
    harness::Device& m_device;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

// What a dispatch wrote is seen by the next.
void computeBarrier(VkCommandBuffer cmd);
// The same, and it may be arguments of an indirect dispatch.
void indirectBarrier(VkCommandBuffer cmd);

inline uint32_t groupsFor(uint64_t count, uint32_t size)
{
    return static_cast<uint32_t>((count + size - 1) / size);
}

}  // namespace millrace::bench
