// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/timestamps.h"

#include "layer/loader/device.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

constexpr uint32_t kParts = 64;  // of a pool

}  // namespace

Timestamps::Timestamps(const Device& device) : m_device(device)
{
    VkPhysicalDeviceProperties properties;
    device.instance.table.GetPhysicalDeviceProperties(device.physical, &properties);
    m_period = properties.limits.timestampPeriod;
}

Timestamps::~Timestamps()
{
    for (const VkQueryPool pool : m_pools)
        m_device.table.DestroyQueryPool(m_device.handle, pool, runtime::hostMemory());
}

bool Timestamps::addQueries()
{
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2 * kParts;
    VkQueryPool pool = VK_NULL_HANDLE;
    if (m_device.table.CreateQueryPool(m_device.handle, &info, runtime::hostMemory(), &pool) != VK_SUCCESS)
        return false;
    m_device.names.set(VK_OBJECT_TYPE_QUERY_POOL, pool, {"times for a trace"});
    m_pools.push_back(pool);
    m_free.reserve(m_pools.size() * kParts);  // giveBack() needs no memory
    for (uint32_t i = kParts; i-- > 0;)
        m_free.push_back({pool, 2 * i});
    return true;
}

std::shared_ptr<TimedPart> Timestamps::take(uint32_t queueFamily)
{
    const uint32_t bits =
        queueFamily < m_device.queueFamilies.size() ? m_device.queueFamilies[queueFamily].timestampValidBits : 0;
    if (bits == 0)
        return nullptr;
    const std::lock_guard lock(m_mutex);
    if (m_free.empty() && !addQueries())
        return nullptr;
    auto part = std::make_shared<TimedPart>(*this, m_free.back(), ~uint64_t{0} >> (64 - bits));
    m_free.pop_back();
    return part;
}

void Timestamps::giveBack(const Queries& queries)
{
    const std::lock_guard lock(m_mutex);
    m_free.push_back(queries);
}

void TimedPart::write(VkCommandBuffer stream, uint32_t which) const
{
    m_owner.m_device.table.CmdWriteTimestamp(stream, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_queries.pool,
                                             m_queries.first + which);
}

void TimedPart::begin(VkCommandBuffer stream)
{
    m_owner.m_device.table.CmdResetQueryPool(stream, m_queries.pool, m_queries.first, 2);
    write(stream, 0);
}

void TimedPart::end(VkCommandBuffer stream)
{
    write(stream, 1);
    m_isWhole = true;
}

std::optional<trace::Span> TimedPart::takeNews()
{
    struct Result {
        uint64_t ticks;
        uint64_t isThere;
    } results[2] = {};
    if (!m_isWhole)
        return std::nullopt;
    const Device& device = m_owner.m_device;
    const VkResult result = device.table.GetQueryPoolResults(
        device.handle, m_queries.pool, m_queries.first, 2, sizeof results, results, sizeof results[0],
        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    if ((result != VK_SUCCESS && result != VK_NOT_READY) || !results[0].isThere || !results[1].isThere)
        return std::nullopt;
    const uint64_t began = results[0].ticks & m_mask;
    if (m_taken == began)
        return std::nullopt;
    m_taken = began;
    const uint64_t ticks = (results[1].ticks - results[0].ticks) & m_mask;
    const auto begin = static_cast<uint64_t>(static_cast<double>(began) * m_owner.m_period);
    return trace::Span{begin, begin + static_cast<uint64_t>(static_cast<double>(ticks) * m_owner.m_period)};
}

void startTimestamps(Device& device)
{
    if (!device.timestamps)
        device.timestamps = std::make_unique<Timestamps>(device);
}

}  // namespace millrace::layer
