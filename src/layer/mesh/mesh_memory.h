// SPDX-License-Identifier: Apache-2.0
// Memory of draws with mesh shaders. All of it lives as long as the command buffer may run.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi/mesh.h"
#include "layer/mesh/mesh_arena.h"
#include "layer/mesh/mesh_batch.h"
#include "layer/mesh/mesh_series.h"
#include "runtime/memory.h"

namespace millrace::layer {

static_assert(sizeof(abi::MeshUpload) % 16 == 0);
static_assert(sizeof(abi::MeshGridParts) == abi::kMeshGridPartsBytes);

// How many grids or workgroups kernels work through: an invocation does so with a few, a workgroup with several, and
// many are shared by workgroups. What the device knows may be many.
enum class MeshCount { Few, Several, Many };
inline constexpr size_t kMeshCounts = 3;
constexpr MeshCount meshCountOf(uint64_t count)
{
    return count <= 8 ? MeshCount::Few : count <= 1024 ? MeshCount::Several : MeshCount::Many;
}

// What the device writes where it knows the grids.
struct MeshListed {
    abi::MeshWork work;
    abi::DispatchCommand dispatch;
    abi::MeshDrawCommand draw;
    abi::MeshIndexedCommand indexed;
    uint32_t pad[3];
};
static_assert(offsetof(MeshListed, indexed) == offsetof(MeshListed, draw) + sizeof(abi::MeshDrawCommand));
static_assert(sizeof(MeshListed) % 16 == 0);

// An abi::MeshOutputMemory that has room for all that workgroups may give out.
class MeshRoom {
public:
    VkResult create(runtime::Memory& memory, uint64_t bytes);
    uint64_t address() const { return m_memory.address(); }
    // True if there is room for so many units beside those that were promised before.
    bool promise(uint64_t units);
    // Records that all units are free, once. True if it did: a barrier of transfers has to be behind it.
    bool begin(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer);

private:
    abi::MeshOutputMemory m_head{};
    uint64_t m_promised = 0;
    bool m_isNew = true;
    runtime::Buffer m_memory;
};

// What the draws of a command buffer share. Not thread-safe, as its recording.
class MeshMemory {
public:
    MeshMemory(const Device& device, ObjectReference owner);

    // A part of a buffer, at a multiple of abi::kMeshAreaAlignment.
    struct Part {
        uint64_t address = 0;
        std::byte* data = nullptr;  // of uploads
        VkBuffer buffer = VK_NULL_HANDLE;
        VkDeviceSize offset = 0;
    };
    // Out-of-memory errors. Uploads are mapped; results are written by shaders.
    VkResult takeUpload(uint64_t bytes, Part& out)
    {
        return m_uploads.take(runtime::BufferUse::Upload, memory(), bytes, out);
    }
    // Of what comes between draws: uploads of draws that follow each other lie behind each other.
    VkResult takeTable(uint64_t bytes, Part& out)
    {
        return m_tables.take(runtime::BufferUse::Upload, memory(), bytes, out);
    }
    VkResult takeResults(uint64_t bytes, Part& out)
    {
        return m_results.take(runtime::BufferUse::Indirect, memory(), bytes, out);
    }
    // Room for so many units, which is the draw's. Null if the command buffer has no more: the arena has to do.
    MeshRoom* roomFor(uint64_t units);
    // Memory for so many indices, which are the draw's, of the same. False if there is none.
    bool takeIndices(uint64_t count, Part& out);
    // For all else. Made when it is first asked for.
    VkResult arena(std::shared_ptr<MeshArena>& out);
    const MeshArena* madeArena() const { return m_arena.get(); }
    // The index buffer that all draws of the arena share, likewise. Null if there is no memory for it.
    struct SharedIndices {
        runtime::Buffer buffer;
        uint32_t count = 0;
    };
    const SharedIndices* sharedIndices();

    // Of what draws count in a secondary command buffer, for queries of those that execute it: abi::MeshQuerySums. 0
    // until clearExecutedSums() has recorded, in a front, that they begin with 0.
    uint64_t executedSums() const { return m_executedSums.address(); }
    VkResult clearExecutedSums(VkCommandBuffer stream);

    MeshSeries series;                                                // in the front that is open
    MeshBatch batch;                                                  // in the instance
    std::array<std::vector<abi::MeshListing>, kMeshCounts> listings;  // of draws there, by MeshCount of workgroups
    std::vector<abi::MeshIndexing> indexings;                         // of such of them as may have index buffers
    std::vector<abi::MeshQueryPart> queryParts;                       // of those that count in queries

private:
    // Buffers, of which the last has room. Each has twice as much as the one before, up to kMostChunkBytes.
    static constexpr uint64_t kMostChunkBytes = uint64_t{4} << 20;
    // Rooms likewise: draws with the same one may be a series.
    static constexpr uint64_t kLeastRoomBytes = uint64_t{1} << 20;
    static constexpr uint64_t kMostRoomBytes = uint64_t{64} << 20;
    struct Chunks {
        VkResult take(runtime::BufferUse use, runtime::Memory& memory, uint64_t bytes, Part& out);

        uint64_t chunkBytes;
        std::vector<runtime::Buffer> buffers{};
        uint64_t used = 0;  // of the last
        uint64_t size = 0;
    };
    runtime::Memory& memory() const;

    const Device& m_device;
    const ObjectReference m_owner;
    Chunks m_uploads{uint64_t{64} << 10};
    Chunks m_tables{uint64_t{64} << 10};
    Chunks m_results{uint64_t{1} << 20};
    Chunks m_indices{uint64_t{1} << 20};
    std::vector<std::unique_ptr<MeshRoom>> m_rooms;  // of which the last may have room
    uint64_t m_roomBytes = 0;                        // of all of them, and of indices
    uint64_t m_nextRoomBytes = kLeastRoomBytes;
    SharedIndices m_sharedIndices;
    std::shared_ptr<MeshArena> m_arena;
    runtime::Buffer m_executedSums;
};

}  // namespace millrace::layer
