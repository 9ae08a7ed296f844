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
    if (!m_report.data())
        return;
    abi::MeshMemoryReport report;
    std::memcpy(&report, m_report.data(), sizeof report);
    if (report.unfit == 0)
        return;
    try {
        m_device.messages().error(
            "Millrace-mesh-shaders", m_owner,
            std::to_string(report.unfit) +
                " workgroups or draws with mesh shaders were left out: what they give out has no room in " +
                std::to_string(uint64_t{m_head.units} * abi::kMeshUnitBytes) + " bytes",
            "Draw less at once, or without indirect commands and task shaders");
    } catch (...) {
        // Without memory there is no message.
    }
}

VkResult MeshArena::create(runtime::Memory& memory, uint64_t bytes, bool isLimited)
{
    VkResult result = memory.createBuffer(runtime::BufferUse::Draws, abi::kMeshHeadBytes + bytes, m_memory);
    if (result == VK_SUCCESS && isLimited)
        result = memory.createBuffer(runtime::BufferUse::Readback, sizeof(abi::MeshMemoryReport), m_report);
    if (result != VK_SUCCESS)
        return result;
    m_head.begin = m_memory.address() + abi::kMeshHeadBytes;
    m_head.units = static_cast<uint32_t>(bytes / abi::kMeshUnitBytes);
    m_head.isLimited = isLimited;
    m_head.report = m_report.address();
    if (isLimited)
        std::memset(m_report.data(), 0, sizeof(abi::MeshMemoryReport));
    return VK_SUCCESS;
}

bool MeshArena::promise(uint64_t units)
{
    if (m_promised + units > m_head.units)
        return false;
    m_promised += units;
    return true;
}

bool MeshArena::begin(VkCommandBuffer commandBuffer)
{
    if (!std::exchange(m_isNew, false))
        return false;
    m_device.table.CmdUpdateBuffer(commandBuffer, m_memory.handle(), 0, sizeof m_head, &m_head);
    return true;
}

runtime::Memory& MeshMemory::memory() const
{
    return m_device.meshShaders->memory;
}

VkResult MeshMemory::arenaFor(uint64_t units, MeshArena*& out)
{
    if (m_arenas.empty() || !m_arenas.back()->promise(units)) {
        constexpr uint64_t kLeastBytes = uint64_t{1} << 20;
        const uint64_t bytes = std::max(kLeastBytes, units * abi::kMeshUnitBytes);
        if (m_arenaBytes + bytes > kMaxMeshOutputBytesKnown)
            return limitedArena(out);
        auto made = std::make_unique<MeshArena>(m_device, m_owner);
        if (const VkResult result = made->create(memory(), bytes, false); result != VK_SUCCESS)
            return result;
        m_arenaBytes += bytes;
        m_arenas.push_back(std::move(made));
        m_arenas.back()->promise(units);
    }
    out = m_arenas.back().get();
    return VK_SUCCESS;
}

VkResult MeshMemory::limitedArena(MeshArena*& out)
{
    if (!m_limited) {
        auto made = std::make_unique<MeshArena>(m_device, m_owner);
        if (const VkResult result = made->create(memory(), kMeshArenaBytes, true); result != VK_SUCCESS)
            return result;
        m_limited = std::move(made);
    }
    out = m_limited.get();
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
    out = {last.address() + used, last.data() ? last.data() + used : nullptr, last.handle(), used};
    used += bytes;
    return VK_SUCCESS;
}

}  // namespace millrace::layer
