// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_queries.h"

#include <bit>
#include <cstring>
#include <utility>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;

// Dispatches under a condition that copies of results do not have.
class WithoutCondition {
public:
    explicit WithoutCondition(CommandBuffer& commandBuffer) : m_commandBuffer(commandBuffer)
    {
        if (m_commandBuffer.rendering.conditional)
            m_commandBuffer.device.table.CmdEndConditionalRenderingEXT(m_commandBuffer.current);
    }
    ~WithoutCondition()
    {
        const RenderingScope& scope = m_commandBuffer.rendering;
        if (scope.conditional)
            m_commandBuffer.device.table.CmdBeginConditionalRenderingEXT(m_commandBuffer.current,
                                                                         &scope.conditionalInfo);
    }
    WithoutCondition(const WithoutCondition&) = delete;
    WithoutCondition& operator=(const WithoutCondition&) = delete;

private:
    CommandBuffer& m_commandBuffer;
};

template <typename Value>
void writeAll(std::byte* to, const std::vector<uint64_t>& values)
{
    for (size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<Value>(values[i]);
        std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
}

}  // namespace

uint32_t MeshQueries::values() const
{
    return m_statistics == 0 ? 1 : static_cast<uint32_t>(std::popcount(m_statistics));
}

// A timestamp is one.
uint32_t MeshQueries::driverValues() const
{
    return (driverStatistics() == 0 ? 1 : static_cast<uint32_t>(std::popcount(driverStatistics()))) + 1;
}

VkQueryResultFlags MeshQueries::driverFlags(VkQueryResultFlags flags) const
{
    // Of timestamps there is no part.
    const VkQueryResultFlags kept =
        VK_QUERY_RESULT_WAIT_BIT | (driverStatistics() == 0 ? 0 : VK_QUERY_RESULT_PARTIAL_BIT);
    return (flags & kept) | VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
}

VkResult MeshQueries::create(const VkQueryPoolCreateInfo& info, const VkAllocationCallbacks* allocator,
                             VkQueryPool& pool)
{
    const VkResult result = m_device.meshShaders->memory.createBuffer(runtime::BufferUse::Breadcrumbs,
                                                                      m_count * sizeof(abi::MeshQuerySums), m_sums);
    if (result != VK_SUCCESS)
        return result;
    reset(0, m_count);
    VkQueryPoolCreateInfo drivers = info;
    drivers.queryType = driverStatistics() == 0 ? VK_QUERY_TYPE_TIMESTAMP : VK_QUERY_TYPE_PIPELINE_STATISTICS;
    drivers.pipelineStatistics = driverStatistics();
    const VkResult created = m_device.table.CreateQueryPool(m_device.handle, &drivers, allocator, &pool);
    m_pool = pool;
    return created;
}

void MeshQueries::reset(uint32_t first, uint32_t count) const
{
    std::memset(m_sums.data() + first * sizeof(abi::MeshQuerySums), 0, count * sizeof(abi::MeshQuerySums));
}

void MeshQueries::reset(CommandBuffer& commandBuffer, uint32_t first, uint32_t count) const
{
    const VkCommandBuffer stream = commandBuffer.current;
    m_device.meshShaders->wait(stream, kCompute | kTransfer, kTransfer);
    m_device.table.CmdFillBuffer(stream, m_sums.handle(), first * sizeof(abi::MeshQuerySums),
                                 count * sizeof(abi::MeshQuerySums), 0);
    m_device.meshShaders->wait(stream, kTransfer, kCompute | kTransfer | VK_PIPELINE_STAGE_HOST_BIT);
}

// In the order of the bits.
std::vector<uint64_t> MeshQueries::valuesOf(uint32_t query, const uint64_t* drivers) const
{
    abi::MeshQuerySums sums{};
    std::memcpy(&sums, m_sums.data() + query * sizeof sums, sizeof sums);
    if (m_statistics == 0)
        return {sums.primitives};
    std::vector<uint64_t> out;
    for (VkQueryPipelineStatisticFlags left = m_statistics; left != 0; left &= left - 1) {
        const VkQueryPipelineStatisticFlags bit = left & ~(left - 1);
        out.push_back(bit == VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT   ? sums.taskInvocations
                      : bit == VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT ? sums.meshInvocations
                                                                                           : *drivers++);
    }
    return out;
}

VkResult MeshQueries::results(uint32_t first, uint32_t count, void* data, VkDeviceSize stride,
                              VkQueryResultFlags flags) const
{
    const uint32_t width = driverValues();
    std::vector<uint64_t> drivers(size_t{width} * count);
    const VkResult result =
        m_device.table.GetQueryPoolResults(m_device.handle, m_pool, first, count, drivers.size() * sizeof(uint64_t),
                                           drivers.data(), width * sizeof(uint64_t), driverFlags(flags));
    if (result != VK_SUCCESS && result != VK_NOT_READY)
        return result;
    constexpr VkQueryResultFlags kAlways = VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_PARTIAL_BIT;
    const bool has64Bits = flags & VK_QUERY_RESULT_64_BIT;
    bool isComplete = true;
    for (uint32_t i = 0; i < count; ++i) {
        auto* const to = static_cast<std::byte*>(data) + i * stride;
        const uint64_t availability = drivers[(i + 1) * width - 1];
        isComplete = isComplete && availability != 0;
        if (availability != 0 || (flags & VK_QUERY_RESULT_PARTIAL_BIT)) {
            const std::vector<uint64_t> own = valuesOf(first + i, &drivers[i * width]);
            has64Bits ? writeAll<uint64_t>(to, own) : writeAll<uint32_t>(to, own);
        }
        if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) {
            std::byte* const behind = to + values() * (has64Bits ? sizeof(uint64_t) : sizeof(uint32_t));
            has64Bits ? writeAll<uint64_t>(behind, {availability}) : writeAll<uint32_t>(behind, {availability});
        }
    }
    return isComplete || (flags & kAlways) ? VK_SUCCESS : VK_NOT_READY;
}

// A kernel puts the results together in memory of the layer's. What is not available stays in the application's buffer
// as it is, and so does what is between results.
void MeshQueries::copyResults(CommandBuffer& commandBuffer, uint32_t first, uint32_t count, VkBuffer buffer,
                              VkDeviceSize offset, VkDeviceSize stride, VkQueryResultFlags flags) const
{
    if (count == 0)
        return;
    const bool hasAvailability = flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    const bool has64Bits = flags & VK_QUERY_RESULT_64_BIT;
    const uint64_t bytes = (values() + hasAvailability) * (has64Bits ? sizeof(uint64_t) : sizeof(uint32_t));
    const uint64_t driverBytes = driverValues() * sizeof(uint64_t);
    auto drivers = std::make_shared<runtime::Buffer>(), results = std::make_shared<runtime::Buffer>();
    runtime::Memory& memory = m_device.meshShaders->memory;
    VkResult result = memory.createBuffer(runtime::BufferUse::Results, count * driverBytes, *drivers);
    if (result == VK_SUCCESS)
        result = memory.createBuffer(runtime::BufferUse::Breadcrumbs, count * bytes, *results);
    if (result != VK_SUCCESS) {
        commandBuffer.fail(result);
        return;
    }
    commandBuffer.keepAlive.insert(commandBuffer.keepAlive.end(), {drivers, results});
    std::vector<VkBufferCopy> there(count), back(count);
    for (uint32_t i = 0; i < count; ++i) {
        there[i] = {offset + i * stride, i * bytes, bytes};
        back[i] = {i * bytes, offset + i * stride, bytes};
    }
    const VkuDeviceDispatchTable& table = m_device.table;
    const VkCommandBuffer stream = commandBuffer.current;
    // Where the command is recorded again, what was there the last time may still be read.
    m_device.meshShaders->wait(stream, kCompute | kTransfer, kTransfer);
    table.CmdCopyQueryPoolResults(stream, m_pool, first, count, drivers->handle(), 0, driverBytes, driverFlags(flags));
    const bool isPartial = flags & VK_QUERY_RESULT_PARTIAL_BIT;
    if (!isPartial && !(flags & VK_QUERY_RESULT_WAIT_BIT))
        table.CmdCopyBuffer(stream, buffer, results->handle(), count, there.data());
    m_device.meshShaders->wait(stream, kTransfer, kCompute);
    {
        const WithoutCondition none(commandBuffer);
        m_device.meshShaders->copyQueries(
            stream, {drivers->address(), addressOf(first), results->address(), count, m_statistics, driverValues(),
                     has64Bits, isPartial, hasAvailability});
    }
    commandBuffer.lent.lend(stream, VK_PIPELINE_BIND_POINT_COMPUTE);
    m_device.meshShaders->wait(stream, kCompute, kTransfer);
    table.CmdCopyBuffer(stream, results->handle(), buffer, count, back.data());
}

VkResult MeshQueryMaker::create(const VkQueryPoolCreateInfo& info, const VkAllocationCallbacks* allocator,
                                VkQueryPool* pool, std::unique_ptr<OwnQueries>& out)
{
    const bool isStatistics = info.queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS;
    const bool isOwn = info.queryType == VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT ||
                       (isStatistics && (info.pipelineStatistics & kMeshStatistics));
    if (!isOwn)
        return VK_SUCCESS;
    auto made = std::make_unique<MeshQueries>(m_device, isStatistics ? info.pipelineStatistics : 0, info.queryCount);
    const VkResult result = made->create(info, allocator, *pool);
    out = std::move(made);
    return result;
}

}  // namespace millrace::layer
