// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_memory.h"

#include <algorithm>
#include <utility>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_shaders.h"

namespace millrace::layer {

VkResult MeshRoom::create(runtime::Memory& memory, uint64_t bytes)
{
    const VkResult result = memory.createBuffer(runtime::BufferUse::Draws, abi::kMeshHeadBytes + bytes, m_memory);
    m_head.begin = m_memory.address() + abi::kMeshHeadBytes;
    m_head.units = static_cast<uint32_t>(bytes / abi::kMeshUnitBytes);
    return result;
}

bool MeshRoom::promise(uint64_t units)
{
    if (m_promised + units > m_head.units)
        return false;
    m_promised += units;
    return true;
}

bool MeshRoom::begin(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer)
{
    if (!std::exchange(m_isNew, false))
        return false;
    table.CmdUpdateBuffer(commandBuffer, m_memory.handle(), 0, sizeof m_head, &m_head);
    return true;
}

MeshMemory::MeshMemory(const Device& device, ObjectReference owner) : m_device(device), m_owner(owner) {}

runtime::Memory& MeshMemory::memory() const
{
    return m_device.meshShaders->memory;
}

MeshRoom* MeshMemory::roomFor(uint64_t units)
{
    if (m_rooms.empty() || !m_rooms.back()->promise(units)) {
        const uint64_t least = units * abi::kMeshUnitBytes;
        const uint64_t left = kMaxMeshRoomBytes - m_roomBytes;
        const uint64_t bytes = std::min(std::max(m_nextRoomBytes, least), left);
        auto made = std::make_unique<MeshRoom>();
        if (bytes < least || made->create(memory(), bytes) != VK_SUCCESS)
            return nullptr;
        m_nextRoomBytes = std::min(2 * m_nextRoomBytes, kMostRoomBytes);
        m_roomBytes += bytes;
        m_rooms.push_back(std::move(made));
        m_rooms.back()->promise(units);
    }
    return m_rooms.back().get();
}

bool MeshMemory::takeIndices(uint64_t count, Part& out)
{
    const uint64_t bytes = count * sizeof(uint32_t);
    if (m_roomBytes + bytes > kMaxMeshRoomBytes ||
        m_indices.take(runtime::BufferUse::Indices, memory(), bytes, out) != VK_SUCCESS)
        return false;
    m_roomBytes += bytes;
    return true;
}

const MeshMemory::SharedIndices* MeshMemory::sharedIndices()
{
    const uint64_t bytes = m_device.meshShaders->sharedIndexBytes();
    if (m_sharedIndices.count == 0 &&
        memory().createBuffer(runtime::BufferUse::Indices, bytes, m_sharedIndices.buffer) == VK_SUCCESS)
        m_sharedIndices.count = static_cast<uint32_t>(bytes / sizeof(uint32_t));
    return m_sharedIndices.count == 0 ? nullptr : &m_sharedIndices;
}

VkResult MeshMemory::arena(std::shared_ptr<MeshArena>& out)
{
    if (!m_arena) {
        auto made = std::make_shared<MeshArena>(m_device, m_owner);
        if (const VkResult result = made->create(kMeshArenaBytes); result != VK_SUCCESS)
            return result;
        m_arena = std::move(made);
    }
    out = m_arena;
    return VK_SUCCESS;
}

VkResult MeshMemory::clearExecutedSums(VkCommandBuffer stream)
{
    const VkResult result =
        memory().createBuffer(runtime::BufferUse::Draws, sizeof(abi::MeshQuerySums), m_executedSums);
    if (result != VK_SUCCESS)
        return result;
    constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const MeshShaders& shaders = *m_device.meshShaders;
    shaders.wait(stream, kCompute, VK_PIPELINE_STAGE_TRANSFER_BIT);
    m_device.table.CmdFillBuffer(stream, m_executedSums.handle(), 0, sizeof(abi::MeshQuerySums), 0);
    shaders.wait(stream, VK_PIPELINE_STAGE_TRANSFER_BIT, kCompute);
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
        chunkBytes = std::min(2 * chunkBytes, kMostChunkBytes);
    }
    const runtime::Buffer& last = buffers.back();
    out = {last.address() + used, last.data() ? last.data() + used : nullptr, last.handle(), used};
    used += bytes;
    return VK_SUCCESS;
}

}  // namespace millrace::layer
