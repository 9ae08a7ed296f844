// SPDX-License-Identifier: Apache-2.0
// Memory of draws with mesh shaders. All of it lives as long as the command buffer may run.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/mesh.h"
#include "layer/base/messages.h"
#include "runtime/memory.h"

namespace millrace::layer {

struct Device;

// What is written while a draw is recorded: grids that the host knows, and push constants.
struct MeshUpload {
    abi::MeshWork work;
    abi::SequenceEntry entry;
    uint32_t pad[2];
    abi::MeshGrid grid;
};
static_assert(sizeof(MeshUpload) % 16 == 0);

// Of a dispatch whose grids the device knows: at most so many. Offsets in bytes from the beginning of the buffer.
struct MeshListMemory {
    explicit MeshListMemory(uint32_t mostGrids);

    uint32_t grids;
    uint32_t blockCount;
    uint64_t dispatch;
    uint64_t draw;
    uint64_t entries;
    uint64_t sums;
    uint64_t bytes;
};

// An abi::MeshOutputMemory with its units, for draws of one command buffer.
class MeshArena {
public:
    MeshArena(const Device& device, ObjectReference owner) : m_device(device), m_owner(owner) {}
    // Tells what had no room.
    ~MeshArena();
    // Limited: workgroups that find no room do not run. Others need a promise().
    VkResult create(runtime::Memory& memory, uint64_t bytes, bool isLimited);

    uint64_t address() const { return m_memory.address(); }
    // True if there is room for so many units beside those that were promised before.
    bool promise(uint64_t units);
    // Records that all units are free, once. Needs a barrier behind it: true if it did.
    bool begin(VkCommandBuffer commandBuffer);

private:
    const Device& m_device;
    const ObjectReference m_owner;
    abi::MeshOutputMemory m_head{};
    uint64_t m_promised = 0;
    bool m_isNew = true;
    runtime::Buffer m_memory;
    runtime::Buffer m_report;  // abi::MeshMemoryReport; none where there is enough
};

// What the draws of a command buffer share. Not thread-safe, as its recording.
class MeshMemory {
public:
    MeshMemory(const Device& device, ObjectReference owner) : m_device(device), m_owner(owner) {}

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
    VkResult takeResults(uint64_t bytes, Part& out)
    {
        return m_results.take(runtime::BufferUse::Indirect, memory(), bytes, out);
    }
    // For outputs of at most so many units, where the host knows that.
    VkResult arenaFor(uint64_t units, MeshArena*& out);
    // For outputs of which the device knows how many there are. Made when it is first asked for.
    VkResult limitedArena(MeshArena*& out);

    std::vector<abi::MeshListing> listings;  // of draws in the front that is open

private:
    // Buffers, of which the last has room.
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
    Chunks m_results{uint64_t{1} << 20};
    std::vector<std::unique_ptr<MeshArena>> m_arenas;  // of which the last may have room
    uint64_t m_arenaBytes = 0;                         // of all of them
    std::unique_ptr<MeshArena> m_limited;
};

}  // namespace millrace::layer
