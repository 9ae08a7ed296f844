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

// Outputs of mesh shaders whose number the device knows, of all draws of a command buffer together.
class MeshArena {
public:
    MeshArena(const Device& device, ObjectReference owner) : m_device(device), m_owner(owner) {}
    // Tells what had no room.
    ~MeshArena();
    VkResult create(runtime::Memory& memory, uint64_t bytes);

    uint64_t address() const { return m_memory.address(); }
    uint64_t state() const { return m_state.address(); }
    uint64_t bytes() const { return m_bytes; }
    bool isNew = true;  // nothing has been recorded for it

private:
    const Device& m_device;
    const ObjectReference m_owner;
    uint64_t m_bytes = 0;
    runtime::Buffer m_memory;
    runtime::Buffer m_state;  // abi::MeshArenaState
};

// What the draws of a command buffer share. Not thread-safe, as its recording.
class MeshMemory {
public:
    MeshMemory(const Device& device, ObjectReference owner) : m_device(device), m_owner(owner) {}

    // A part of a buffer, at a multiple of abi::kMeshAreaAlignment.
    struct Part {
        uint64_t address = 0;
        std::byte* data = nullptr;  // of uploads
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
    // Made when it is first asked for.
    VkResult arena(MeshArena*& out);

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
    std::unique_ptr<MeshArena> m_arena;
};

}  // namespace millrace::layer
