// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_memory.h"

#include <cstring>

#include "layer/loader/device.h"

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

}  // namespace millrace::layer
