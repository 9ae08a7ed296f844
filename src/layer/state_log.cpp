// SPDX-License-Identifier: Apache-2.0
#include "layer/state_log.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace millrace::layer {

namespace {

constexpr size_t kAlignment = alignof(std::max_align_t);
constexpr size_t kCompactAbove = 64 * 1024;

size_t aligned(size_t bytes)
{
    return (bytes + kAlignment - 1) & ~(kAlignment - 1);
}

}  // namespace

std::byte* StateLog::add(const StateKey& key, uint32_t scopes, Replay replay, size_t bytes,
                         std::shared_ptr<const void> owner)
{
    // A command buffer has some tens of live entries: a search from the end finds repeated commands at once.
    auto old = std::find_if(m_entries.rbegin(), m_entries.rend(), [&](const Entry& entry) { return entry.key == key; });
    if (old != m_entries.rend()) {
        m_liveBytes -= aligned(old->bytes);
        m_entries.erase(std::next(old).base());
    }
    if (m_payloads.size() > kCompactAbove && m_payloads.size() > 4 * m_liveBytes)
        compact();
    const size_t offset = m_payloads.size();
    m_payloads.resize(offset + aligned(bytes));
    m_liveBytes += aligned(bytes);
    m_entries.push_back({key, scopes, replay, offset, bytes, std::move(owner)});
    return m_payloads.data() + offset;
}

void StateLog::replay(uint32_t scopes, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer) const
{
    for (const Entry& entry : m_entries)
        if (entry.scopes & scopes)
            entry.replay(table, commandBuffer, m_payloads.data() + entry.offset);
}

bool StateLog::has(uint32_t scopes) const
{
    return std::any_of(m_entries.begin(), m_entries.end(), [=](const Entry& entry) { return entry.scopes & scopes; });
}

void StateLog::clear()
{
    m_entries.clear();
    m_payloads.clear();
    m_liveBytes = 0;
}

void StateLog::clear(uint32_t scopes)
{
    std::erase_if(m_entries, [&](const Entry& entry) {
        if (!(entry.scopes & scopes))
            return false;
        m_liveBytes -= aligned(entry.bytes);
        return true;
    });
}

void StateLog::compact()
{
    std::vector<std::byte> payloads(m_liveBytes);
    size_t offset = 0;
    for (Entry& entry : m_entries) {
        std::memcpy(payloads.data() + offset, m_payloads.data() + entry.offset, entry.bytes);
        entry.offset = offset;
        offset += aligned(entry.bytes);
    }
    m_payloads = std::move(payloads);
}

}  // namespace millrace::layer
