// SPDX-License-Identifier: Apache-2.0
#include "layer/base/handle_index.h"

namespace millrace::layer {

namespace {

constexpr unsigned kFirstBits = 4;

}  // namespace

HandleIndex::Slot* HandleIndex::slotOf(uint64_t id) noexcept
{
    Table* const table = m_table.load(std::memory_order_relaxed);
    if (!table || isReserved(id))
        return nullptr;
    for (size_t i = table->firstOf(id);; ++i) {
        Slot& slot = table->slots[i & table->mask];
        const uint64_t found = slot.id.load(std::memory_order_relaxed);
        if (found == id)
            return &slot;
        if (found == kEmpty)
            return nullptr;
    }
}

// In the first slot that is free; true if that was empty. The value is there before the id says so.
bool HandleIndex::put(Table& table, uint64_t id, void* value) noexcept
{
    for (size_t i = table.firstOf(id);; ++i) {
        Slot& slot = table.slots[i & table.mask];
        const uint64_t before = slot.id.load(std::memory_order_relaxed);
        if (!isReserved(before))
            continue;
        slot.value.store(value, std::memory_order_relaxed);
        slot.id.store(id, std::memory_order_release);
        return before == kEmpty;
    }
}

void HandleIndex::insert(uint64_t id, void* value)
{
    if (isReserved(id))
        return;
    if (Slot* const old = slotOf(id)) {
        old->value.store(value, std::memory_order_relaxed);
        return;
    }
    if (2 * (m_used + 1) > capacity())
        grow();
    m_used += put(*m_tables.back(), id, value);
}

void HandleIndex::remove(uint64_t id) noexcept
{
    Slot* slot = slotOf(id);
    if (!slot)
        return;
    slot->id.store(kRemoved, std::memory_order_release);
    // Nothing is behind the last slots of a row: they are empty again, and the rows stay short.
    const Table& table = *m_tables.back();
    size_t i = static_cast<size_t>(slot - table.slots.get());
    if (table.slots[(i + 1) & table.mask].id.load(std::memory_order_relaxed) != kEmpty)
        return;
    for (; table.slots[i & table.mask].id.load(std::memory_order_relaxed) == kRemoved; --i) {
        table.slots[i & table.mask].id.store(kEmpty, std::memory_order_release);
        --m_used;
    }
}

void HandleIndex::clear() noexcept
{
    if (m_tables.empty())
        return;
    const Table& table = *m_tables.back();
    for (size_t i = 0; i <= table.mask; ++i)
        table.slots[i].id.store(kEmpty, std::memory_order_release);
    m_used = 0;
}

void HandleIndex::grow()
{
    const unsigned bits = m_tables.empty() ? kFirstBits : 65 - m_tables.back()->shift;
    m_tables.push_back(std::make_unique<Table>(bits));
    Table& table = *m_tables.back();
    m_used = 0;
    if (const Table* const old = m_table.load(std::memory_order_relaxed))
        for (size_t i = 0; i <= old->mask; ++i) {
            const uint64_t id = old->slots[i].id.load(std::memory_order_relaxed);
            if (!isReserved(id))
                m_used += put(table, id, old->slots[i].value.load(std::memory_order_relaxed));
        }
    m_table.store(&table, std::memory_order_release);
}

}  // namespace millrace::layer
