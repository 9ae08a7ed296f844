// SPDX-License-Identifier: Apache-2.0
// Memory of draws with mesh shaders. All of it lives as long as the command buffer may run.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>

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

}  // namespace millrace::layer
