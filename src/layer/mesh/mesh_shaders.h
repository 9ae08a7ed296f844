// SPDX-License-Identifier: Apache-2.0
// What a device has on which the layer runs mesh shaders.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "abi/mesh.h"
#include "layer/loader/entry_points.h"
#include "layer/mesh/mesh_memory.h"
#include "layer/mesh/mesh_pipelines.h"
#include "runtime/memory.h"

namespace millrace::layer {

// What the properties say.
inline constexpr uint32_t kMaxMeshVertices = 256;
inline constexpr uint32_t kMaxMeshPrimitives = 256;
inline constexpr uint32_t kMaxMeshOutputBytes = 49152;
inline constexpr uint32_t kMaxTaskPayloadBytes = 16384;
// Shared memory that a mesh shader needs as a compute shader, beside its own.
inline constexpr uint32_t kMeshSharedBytes = 32;

// Of the outputs that workgroups may have at most, in all draws of a command buffer whose workgroups the host counts.
inline constexpr uint64_t kMaxMeshRoomBytes = uint64_t{1} << 30;
// What the arena of a command buffer has before it grows.
inline constexpr uint64_t kMeshArenaBytes = uint64_t{64} << 20;
// What the indices have that the draws of that arena share, where no draw has had any before, and at most. The least is
// for what may come.
inline constexpr uint64_t kMeshIndexBytes = uint64_t{128} << 20;
inline constexpr uint64_t kMostMeshIndexBytes = uint64_t{512} << 20;
inline constexpr uint64_t kLeastMeshIndexBytes = uint64_t{1} << 20;
// A direct draw that cannot have as many primitives has no index buffer.
inline constexpr uint64_t kLeastIndexedPrimitives = 64;
// Workgroups that write indices of one draw at most. Those of drivers without a GPU take its threads one by one.
inline constexpr uint32_t kMostIndexWriters = 1024;
inline constexpr uint32_t kMostIndexWritersOfCpu = 32;
inline constexpr uint32_t kIndexWriterInvocations = 128;
// What the task shaders of a draw may emit at most, with payloads, to have memory of its own beside the arena.
inline constexpr uint64_t kMaxOwnTaskBytes = uint64_t{1} << 20;

// Invocations of the kernels that share many grids or workgroups, and how many parts there are of one draw at most: no
// more than invocations. Drivers without a GPU, where a part takes a thread, have fewer.
inline constexpr uint32_t kMeshPartInvocations = 256;
inline constexpr uint32_t kMostMeshPartsOfCpu = 8;

class MeshShaders {
public:
    explicit MeshShaders(Device& device) : pipelines(std::make_shared<MeshPipelines>(device)), m_device(device) {}
    ~MeshShaders();
    MeshShaders(const MeshShaders&) = delete;
    MeshShaders& operator=(const MeshShaders&) = delete;

    // Once. Returns an error of the driver.
    VkResult create();
    // How many parts there are of each of `draws` draws that may have many workgroups.
    uint32_t partsOf(size_t draws) const;
    // Kernels. They bind at the compute bind point and push constants. In front of task and mesh shaders:
    void listGrids(VkCommandBuffer commandBuffer, const abi::GridsArguments& arguments) const;
    // Whatever has been written in the first stages is visible to whatever reads or writes in the others.
    void wait(VkCommandBuffer commandBuffer, VkPipelineStageFlags from, VkPipelineStageFlags to) const;
    // In front of a kernel: it reads what shaders before have written.
    void waitForKernel(VkCommandBuffer commandBuffer) const;
    // Behind mesh shaders, by MeshCount of workgroups:
    using Lists = std::array<abi::ListArguments, kMeshCounts>;
    void listPrimitives(VkCommandBuffer commandBuffer, const Lists& lists) const;
    // And once more for such as have many.
    void listParts(VkCommandBuffer commandBuffer, const Lists& lists) const;
    // Behind those: index buffers.
    void writeIndices(VkCommandBuffer commandBuffer, const abi::IndicesArguments& arguments) const;
    // Waits for what is to be counted, and lets whoever reads the sums wait.
    void countQueries(VkCommandBuffer commandBuffer, const abi::CountQueriesArguments& arguments) const;
    void copyQueries(VkCommandBuffer commandBuffer, const abi::CopyQueriesArguments& arguments) const;

    // Of the indices that draws of an arena share in a command buffer that is recorded now. Any thread.
    uint64_t sharedIndexBytes() const;
    // A command buffer has run whose draws of the arena had so many in front of one instance, or would have had.
    void noteIndices(uint64_t count);
    // For draws that may have as many primitives as there are.
    uint32_t mostIndexWriters() const { return m_mostIndexWriters; }

    runtime::Memory memory;
    const std::shared_ptr<MeshPipelines> pipelines;

private:
    Device& m_device;
    VkResult createKernels();
    template <typename Arguments>
    void bind(VkCommandBuffer commandBuffer, VkPipeline kernel, const Arguments& arguments) const;
    void dispatchRows(VkCommandBuffer commandBuffer, uint32_t groups) const;
    void list(VkCommandBuffer commandBuffer, VkPipeline kernel, const abi::ListArguments& arguments,
              uint32_t groups) const;

    VkPipelineLayout m_kernelLayout = VK_NULL_HANDLE;
    VkPipeline m_grids = VK_NULL_HANDLE;
    VkPipeline m_gridsSums = VK_NULL_HANDLE;
    VkPipeline m_gridsParts = VK_NULL_HANDLE;
    VkPipeline m_listFew = VK_NULL_HANDLE;
    VkPipeline m_list = VK_NULL_HANDLE;
    VkPipeline m_listSums = VK_NULL_HANDLE;
    VkPipeline m_listParts = VK_NULL_HANDLE;
    VkPipeline m_indices = VK_NULL_HANDLE;
    VkPipeline m_countQueries = VK_NULL_HANDLE;  // these two only with meshShaderQueries
    VkPipeline m_copyQueries = VK_NULL_HANDLE;
    uint32_t m_mostParts = kMeshPartInvocations;
    uint32_t m_mostIndexWriters = kMostIndexWriters;
    std::atomic<uint64_t> m_indexBytes = 0;  // that command buffers needed
};

// On a device that has just been created. Returns an error of the driver.
VkResult startMeshShaders(Device& device);

// Reports why something of mesh shaders cannot be done.
void refuseMeshShaders(const Device& device, const std::string& text);

EntryPoints meshDrawEntryPoints();

}  // namespace millrace::layer
