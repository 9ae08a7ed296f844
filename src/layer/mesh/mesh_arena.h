// SPDX-License-Identifier: Apache-2.0
// Memory for what mesh and task shaders give out where only the device knows how much that is. It grows between
// submissions, until all has room.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi/mesh.h"
#include "layer/base/messages.h"
#include "layer/recording/boundary.h"
#include "runtime/memory.h"

namespace millrace::layer {

struct Device;

// An abi::MeshOutputMemory with its units, for the draws of one command buffer in one render pass instance after the
// other. Recorded by one thread; what Continuation has is called by the one that submits.
class MeshArena final : public Continuation {
public:
    MeshArena(const Device& device, ObjectReference owner) : m_device(device), m_owner(owner) {}
    ~MeshArena() override;
    VkResult create(uint64_t bytes);

    uint64_t address() const { return m_head.address(); }
    // A workgroup of a draw takes so many units at most.
    void need(uint64_t units) { m_leastBytes = std::max(m_leastBytes, units * abi::kMeshUnitBytes); }
    // Records that all units are free, once in each command buffer of the driver's. True if it did: a barrier of
    // transfers has to be behind it. In front of it, one for all that reads what is there.
    bool begin(VkCommandBuffer commandBuffer);
    // Behind the first kernels that list draws, where nothing else in front of the instance takes memory any more: the
    // host may go on. In a command buffer that is executed once at a time.
    void recordDecision(VkCommandBuffer commandBuffer) const;
    // True if begin() would record.
    bool isNew(VkCommandBuffer commandBuffer) const;

    // Where everything had room, or where there is no more memory.
    bool isComplete() const override;
    bool isDecided() const override;
    void forgetDecision() override;
    // Finds more memory. Where it is complete nothing takes any.
    size_t prepare(size_t most) override;
    Progress progress() const override;
    void tellStalled() const override {}
    // Tells what was left out. The next execution begins with memory for all that this one has used.
    void report() noexcept override;

private:
    struct Region {
        runtime::Buffer buffer;
        uint64_t bytes = 0;
    };

    VkResult addRegion(uint64_t bytes);
    bool grow(uint64_t leastBytes);
    void start(const Region& region, uint64_t bytes, bool isRepeat);
    abi::MeshMemoryReport read() const;
    void forget();
    void countUse();
    void tell() noexcept;
    void unite();

    const Device& m_device;
    const ObjectReference m_owner;
    uint64_t m_leastBytes = 0;
    std::array<VkCommandBuffer, 2> m_begun{};  // the last two
    runtime::Buffer m_head;                    // abi::MeshOutputMemory
    runtime::Buffer m_start;                   // what it is copied from
    runtime::Buffer m_report;                  // abi::MeshMemoryReport
    VkEvent m_decided = VK_NULL_HANDLE;        // null: the driver has no events
    std::vector<Region> m_regions;             // in the order in which an execution uses them
    size_t m_current = 0;                      // of them
    std::vector<Region> m_retired;             // that the execution before may still read
    uint64_t m_growths = 0;
    // Of this execution.
    uint64_t m_usedBytes = 0;  // in the regions before, and in this one once it is closed
    bool m_isClosed = false;   // nothing takes memory any more
    bool m_isGivenUp = false;
    bool m_hasToldPrimitives = false;  // that there were too many, of any execution
    abi::MeshMemoryReport m_lost{};    // where it is given up
};

}  // namespace millrace::layer
