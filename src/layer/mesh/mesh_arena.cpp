// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_arena.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_shaders.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

// So that a unit has a number, with room for what is taken in vain.
constexpr uint64_t kMostBytes = (uint64_t{1} << 31) * abi::kMeshUnitBytes;

}  // namespace

VkResult MeshArena::create(uint64_t bytes)
{
    runtime::Memory& memory = m_device.meshShaders->memory;
    VkResult result = memory.createBuffer(runtime::BufferUse::Draws, abi::kMeshHeadBytes, m_head);
    if (result == VK_SUCCESS)
        result = memory.createBuffer(runtime::BufferUse::Breadcrumbs, sizeof(abi::MeshOutputMemory), m_start);
    if (result == VK_SUCCESS)
        result = memory.createBuffer(runtime::BufferUse::Readback, sizeof(abi::MeshMemoryReport), m_report);
    if (result == VK_SUCCESS)
        result = addRegion(bytes);
    if (result != VK_SUCCESS)
        return result;
    std::memset(m_report.data(), 0, sizeof(abi::MeshMemoryReport));
    start(m_regions[0], m_regions[0].bytes, false);
    if (!m_device.support.events)
        return VK_SUCCESS;
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    return m_device.table.CreateEvent(m_device.handle, &info, runtime::hostMemory(), &m_decided);
}

MeshArena::~MeshArena()
{
    tell();
    if (m_decided)
        m_device.table.DestroyEvent(m_device.handle, m_decided, runtime::hostMemory());
}

VkResult MeshArena::addRegion(uint64_t bytes)
{
    Region region;
    region.bytes = std::min(bytes, kMostBytes) / abi::kMeshUnitBytes * abi::kMeshUnitBytes;
    const VkResult result =
        m_device.meshShaders->memory.createBuffer(runtime::BufferUse::Indirect, region.bytes, region.buffer);
    if (result == VK_SUCCESS)
        m_regions.push_back(std::move(region));
    return result;
}

// With the first bytes of a region.
void MeshArena::start(const Region& region, uint64_t bytes, bool isRepeat)
{
    abi::MeshOutputMemory head{};
    head.begin = region.buffer.address();
    head.units = static_cast<uint32_t>(bytes / abi::kMeshUnitBytes);
    head.isLimited = 1;
    head.isRepeat = isRepeat;
    head.report = m_report.address();
    std::memcpy(m_start.data(), &head, sizeof head);
}

bool MeshArena::isNew(VkCommandBuffer commandBuffer) const
{
    return std::ranges::find(m_begun, commandBuffer) == m_begun.end();
}

bool MeshArena::begin(VkCommandBuffer commandBuffer)
{
    if (!isNew(commandBuffer))
        return false;
    m_begun = {commandBuffer, m_begun[0]};
    const VkBufferCopy copy{0, 0, sizeof(abi::MeshOutputMemory)};
    m_device.table.CmdCopyBuffer(commandBuffer, m_start.handle(), m_head.handle(), 1, &copy);
    return true;
}

void MeshArena::recordDecision(VkCommandBuffer commandBuffer) const
{
    if (!m_decided)
        return;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    m_device.table.CmdPipelineBarrier(commandBuffer, kCompute, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr,
                                      0, nullptr);
    m_device.table.CmdSetEvent(commandBuffer, m_decided, kCompute);
}

bool MeshArena::isDecided() const
{
    return m_decided && m_device.table.GetEventStatus(m_device.handle, m_decided) == VK_EVENT_SET;
}

void MeshArena::forgetDecision()
{
    if (m_decided)
        m_device.table.ResetEvent(m_device.handle, m_decided);
}

// What is written later stays: it may be written now.
void MeshArena::forget()
{
    std::memset(m_report.data(), 0, offsetof(abi::MeshMemoryReport, wantedIndices));
}

abi::MeshMemoryReport MeshArena::read() const
{
    abi::MeshMemoryReport report{};
    if (m_report.data())
        std::memcpy(&report, m_report.data(), sizeof report);
    return report;
}

bool MeshArena::isComplete() const
{
    return m_isGivenUp || read().unfit == 0;
}

Continuation::Progress MeshArena::progress() const
{
    return {isComplete() ? 0 : read().unfit, m_growths, 0};
}

void MeshArena::countUse()
{
    if (!m_isClosed)
        m_usedBytes += std::min(uint64_t{read().used} * abi::kMeshUnitBytes, m_regions[m_current].bytes);
}

size_t MeshArena::prepare(size_t)
{
    countUse();
    const abi::MeshMemoryReport report = read();
    m_lost.refused |= report.refused;
    const uint64_t leastBytes =
        std::max(m_leastBytes, uint64_t{report.wanted} * abi::kMeshUnitBytes) + abi::kMeshUnitBytes;
    if (!isComplete() && !grow(leastBytes)) {
        m_isGivenUp = true;
        m_lost.unfit = report.unfit;
    }
    if (isComplete()) {
        // What may be submitted for others finds nothing to do here.
        m_isClosed = true;
        start(m_regions[m_current], 0, true);
        return 0;
    }
    ++m_growths;
    forget();
    start(m_regions[m_current], m_regions[m_current].bytes, true);
    return 1;
}

// A region twice as large as the last one, or as large as can be had, where that is enough for something.
bool MeshArena::grow(uint64_t leastBytes)
{
    if (leastBytes > kMostBytes)
        return false;
    for (uint64_t bytes = std::max(leastBytes, 2 * m_regions[m_current].bytes);;
         bytes = std::max(leastBytes, bytes / 2)) {
        if (addRegion(bytes) == VK_SUCCESS)
            break;
        if (bytes == leastBytes)
            return false;
    }
    m_current = m_regions.size() - 1;
    return true;
}

// One region that has room for all, where several were needed. What they are is read by the instance behind, which has
// ended when this is next called.
void MeshArena::unite()
{
    m_retired.clear();
    if (m_current == 0)
        return;
    m_retired = std::exchange(m_regions, {});
    if (addRegion(m_usedBytes + m_usedBytes / 4) != VK_SUCCESS) {
        // The largest one has to do.
        m_regions.push_back(std::move(m_retired.back()));
        m_retired.pop_back();
    }
    m_current = 0;
}

void MeshArena::tell() noexcept
{
    abi::MeshMemoryReport report = read();
    m_device.meshShaders->noteIndices(report.wantedIndices);
    report.refused |= m_lost.refused;
    if (report.refusedPrimitives != 0 && !std::exchange(m_hasToldPrimitives, true))
        report.refused = 1;
    if (m_isGivenUp)
        report.unfit = m_lost.unfit;
    if (report.unfit == 0 && report.refused == 0)
        return;
    try {
        if (report.refused != 0)
            m_device.messages().error(
                "Millrace-mesh-shaders", m_owner,
                "a draw with mesh shaders was left out: it has more workgroups or primitives than "
                "a draw may have",
                "docs/mesh-shaders.md says how many there may be");
        if (report.unfit != 0)
            m_device.messages().error(
                "Millrace-mesh-shaders", m_owner,
                std::to_string(report.unfit) +
                    " workgroups or draws with mesh shaders were left out: there is no memory for what they give out",
                "Draw less at once, or where the layer can wait for memory: setting continuation = complete");
    } catch (...) {
        // Without memory there is no message.
    }
}

void MeshArena::report() noexcept
{
    tell();
    countUse();
    try {
        unite();
    } catch (...) {
        // It goes on with what there is.
    }
    m_usedBytes = 0;
    m_isClosed = false;
    m_isGivenUp = false;
    m_lost = {};
    forget();
    start(m_regions[0], m_regions[0].bytes, false);
}

}  // namespace millrace::layer
