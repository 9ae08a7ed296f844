// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_shaders.h"

namespace millrace::layer {

MeshListMemory::MeshListMemory(uint32_t mostGrids)
    : grids(mostGrids), blockCount((mostGrids + abi::kBlockSequences - 1) / abi::kBlockSequences)
{
    dispatch = sizeof(abi::MeshWork);
    draw = dispatch + sizeof(abi::DispatchCommand);
    entries = draw + sizeof(abi::MeshDrawCommand);
    sums = entries + uint64_t{grids} * sizeof(abi::SequenceEntry);
    bytes = sums + (uint64_t{blockCount} + 1) * sizeof(abi::BlockSum);
}

MeshArena::~MeshArena()
{
    if (!m_state.data())
        return;
    abi::MeshArenaState state;
    std::memcpy(&state, m_state.data(), sizeof state);
    if (state.lost == 0)
        return;
    try {
        m_device.messages().error("Millrace-mesh-shaders", m_owner,
                                  std::to_string(state.lost) +
                                      " draws with mesh shaders were left out: what their shaders may write "
                                      "has no room in " +
                                      std::to_string(m_bytes) + " bytes",
                                  "Draw less at once, or without indirect commands and task shaders");
    } catch (...) {
        // Without memory there is no message.
    }
}

VkResult MeshArena::create(runtime::Memory& memory, uint64_t bytes)
{
    m_bytes = bytes;
    VkResult result = memory.createBuffer(runtime::BufferUse::Indirect, bytes, m_memory);
    if (result == VK_SUCCESS)
        result = memory.createBuffer(runtime::BufferUse::Readback, sizeof(abi::MeshArenaState), m_state);
    if (result == VK_SUCCESS)
        std::memset(m_state.data(), 0, sizeof(abi::MeshArenaState));
    return result;
}

runtime::Memory& MeshMemory::memory() const
{
    return m_device.meshShaders->memory;
}

VkResult MeshMemory::arena(MeshArena*& out)
{
    if (!m_arena) {
        auto made = std::make_unique<MeshArena>(m_device, m_owner);
        if (const VkResult result = made->create(memory(), kMeshArenaBytes); result != VK_SUCCESS)
            return result;
        m_arena = std::move(made);
    }
    out = m_arena.get();
    return VK_SUCCESS;
}

// What is larger than a chunk has a buffer of its own.
VkResult MeshMemory::Chunks::take(runtime::BufferUse use, runtime::Memory& memory, uint64_t bytes, Part& out)
{
    bytes = (bytes + abi::kMeshAreaAlignment - 1) / abi::kMeshAreaAlignment * abi::kMeshAreaAlignment;
    if (used + bytes > size) {
        buffers.reserve(buffers.size() + 1);
        runtime::Buffer buffer;
        const uint64_t wanted = std::max(chunkBytes, bytes);
        if (const VkResult result = memory.createBuffer(use, wanted, buffer); result != VK_SUCCESS)
            return result;
        buffers.push_back(std::move(buffer));
        used = 0;
        size = wanted;
    }
    const runtime::Buffer& last = buffers.back();
    out = {last.address() + used, last.data() ? last.data() + used : nullptr};
    used += bytes;
    return VK_SUCCESS;
}

}  // namespace millrace::layer
