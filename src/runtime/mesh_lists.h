// SPDX-License-Identifier: Apache-2.0
// The payloads that mesh nodes of one recorded dispatch receive, as lists of indirect draws (src/abi/mesh_nodes.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi/mesh_nodes.h"
#include "runtime/device_impl.h"
#include "runtime/recording_memory.h"

namespace millrace::runtime {

// Bytes of all lists of a dispatch together at most.
inline constexpr uint64_t kMeshListBytes = uint64_t{64} << 20;

// What a node's list has to have room for.
struct MeshListNeed {
    uint32_t node = 0;      // of the graph
    uint64_t payloads = 0;  // at most; UINT64_MAX if unknown
};

class MeshLists {
public:
    // `maxDraws`: of one indirect draw. Lists that need more, or too much memory, are as long as they may be: what
    // comes beyond is counted and lost. Errors are those of allocations.
    VkResult create(Device::Impl& device, RecordingMemory& memory, const graph::Graph& graph,
                    std::span<const MeshListNeed> needs, uint32_t maxDraws);

    bool empty() const { return m_draws.empty(); }
    // abi::MeshNodeList of a node, 0 if it has none.
    VkDeviceAddress listOf(uint32_t node) const;
    std::span<const MeshDraw> draws() const { return m_draws; }
    abi::MeshNodeReport report() const;

    // In front of the dispatch: waits for draws that came before and makes the lists empty.
    void recordReset(const Device::Impl& device, VkCommandBuffer commandBuffer) const;
    // Between the dispatch and the draws, if there are any.
    void recordDrawBarrier(const Device::Impl& device, VkCommandBuffer commandBuffer) const;

private:
    VkResult takeMemory(Device::Impl& device, RecordingMemory& memory, uint64_t bytes);

    std::vector<MeshDraw> m_draws;       // per list
    std::vector<uint32_t> m_listNumber;  // per node of the graph: one more than its place in them, 0 if it has none
    Buffer m_memory;                     // counters, then for each list commands and payloads
    BufferPart m_lists;                  // abi::MeshNodeList, as m_draws
    BufferPart m_report;
};

}  // namespace millrace::runtime
