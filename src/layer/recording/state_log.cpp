// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/state_log.h"

#include <algorithm>
#include <cstring>

namespace millrace::layer {

StateLog::Entry& StateLog::makeRoom(Kind& kind, Entry* entry, const StateKey& key, uint32_t scopes, size_t bytes)
{
    // All that may fail comes first: an entry without its payload must not be replayed.
    size_t capacity = entry ? entry->capacity : 0;
    std::byte* payload = entry ? entry->payload : nullptr;
    if (!payload || capacity < bytes) {
        capacity = std::max(bytes, 2 * capacity);
        payload = m_payloads.take(capacity);
    }
    if (!entry) {
        if (m_sorted.capacity() <= m_entries)
            m_sorted.reserve(std::max<size_t>(32, 2 * m_entries));
        entry = &kind.entries.emplace_back();
        kind.recent = {};  // others may have moved
        kind.recent[placeOf(key)] = entry;
        ++m_entries;
        entry->key = key;
    }
    entry->scopes = scopes;
    entry->capacity = capacity;
    entry->payload = payload;
    m_scopes |= scopes;
    return *entry;
}

const StateLog::Entry* StateLog::nextOf(const Kind& kind, uint32_t scopes, uint64_t order)
{
    const Entry* next = nullptr;
    for (const Entry& entry : kind.entries)
        if ((entry.scopes & scopes) && entry.order > order && (!next || entry.order < next->order))
            next = &entry;
    return next;
}

void StateLog::replay(uint32_t scopes, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer) const
{
    if (!(m_scopes & scopes))
        return;
    replayIf([=](const Entry& entry) { return (entry.scopes & scopes) != 0; }, table, commandBuffer);
}

void StateLog::replaySorted(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer) const
{
    std::ranges::sort(m_sorted, {}, &Entry::order);
    for (const Entry* entry : m_sorted)
        entry->replay(table, commandBuffer, entry->payload);
}

bool StateLog::has(uint32_t scopes) const
{
    return (m_scopes & scopes) && std::ranges::any_of(m_kinds, [=](const Kind& kind) {
               return std::ranges::any_of(kind.entries, [=](const Entry& entry) { return entry.scopes & scopes; });
           });
}

void StateLog::assign(const StateLog& other)
{
    clear();
    m_sorted.reserve(std::max<size_t>(32, 2 * other.m_entries));
    for (size_t i = 0; i < kStateKinds; ++i) {
        const Kind& from = other.m_kinds[i];
        Kind& kind = m_kinds[i];
        kind.lastOrder = from.lastOrder;
        kind.recent = {};
        kind.entries = from.entries;
        m_entries += kind.entries.size();
        for (Entry& entry : kind.entries) {
            const std::byte* const bytes = std::exchange(entry.payload, m_payloads.take(entry.capacity));
            std::memcpy(entry.payload, bytes, entry.capacity);
        }
    }
    m_order = other.m_order;
    m_scopes = other.m_scopes;
}

std::vector<StateLog::Entry> StateLog::changesSince(uint64_t order, Arena& payloads) const
{
    std::vector<Entry> changes;
    if (m_order == order)
        return changes;
    for (const Kind& kind : m_kinds)
        for (const Entry& entry : kind.entries) {
            if (kind.lastOrder <= order)
                break;
            if (entry.order <= order)
                continue;
            Entry& copy = changes.emplace_back(entry);
            copy.payload = payloads.take(entry.capacity);
            std::memcpy(copy.payload, entry.payload, entry.capacity);
        }
    std::ranges::sort(changes, {}, &Entry::order);
    return changes;
}

void StateLog::take(const std::vector<Entry>& changes)
{
    for (const Entry& change : changes) {
        Kind& kind = m_kinds[static_cast<size_t>(change.key.kind)];
        Entry& entry = entryFor(change.key, change.scopes, change.replay, change.capacity);
        std::memcpy(entry.payload, change.payload, change.capacity);
        entry.owner = change.owner;
        entry.again = change.again;
        entry.shape = change.shape;
        entry.order = kind.lastOrder = m_order = change.order;
    }
}

void StateLog::clear()
{
    clear(m_scopes);
    for (Kind& kind : m_kinds)
        kind.lastOrder = 0;
    m_payloads.clear();
    m_order = 0;
}

void StateLog::clear(uint32_t scopes)
{
    if (!(m_scopes & scopes))
        return;
    for (Kind& kind : m_kinds) {
        m_entries -= std::erase_if(kind.entries, [=](const Entry& entry) { return entry.scopes & scopes; });
        kind.recent = {};
    }
    uint32_t left = 0;
    for (const Kind& kind : m_kinds)
        for (const Entry& entry : kind.entries)
            left |= entry.scopes;
    m_scopes = left;
}

}  // namespace millrace::layer
