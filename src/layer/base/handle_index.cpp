// SPDX-License-Identifier: Apache-2.0
#include "layer/base/handle_index.h"

namespace millrace::layer {

namespace {

constexpr unsigned kFirstBits = 4;

}  // namespace

HandleIndex::None HandleIndex::s_none;

// In the first slot that is free; true if that was empty. The value is there before the id says so.
bool HandleIndex::put(Table table, uint64_t id, void* value) noexcept
{
    for (Slot* slot = table.firstOf(id);; ++slot) {
        const uint64_t before = slot->id.load(std::memory_order_relaxed);
        if (!isReserved(before))
            continue;
        slot->value.store(value, std::memory_order_relaxed);
        slot->id.store(id, std::memory_order_release);
        return before == kEmpty;
    }
}

// Null if it is not there. Requires: not reserved, and nobody else changes the table.
HandleIndex::Slot* HandleIndex::slotOf(uint64_t id) noexcept
{
    for (Slot* slot = firstSlotOf(id);; ++slot) {
        const uint64_t found = slot->id.load(std::memory_order_relaxed);
        if (found == id)
            return slot;
        if (found == kEmpty)
            return nullptr;
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
    m_used += put(current(), id, value);
}

void HandleIndex::remove(uint64_t id) noexcept
{
    Slot* slot = isReserved(id) ? nullptr : slotOf(id);
    if (!slot)
        return;
    slot->id.store(kRemoved, std::memory_order_release);
    // Nothing is behind the last slots of a row: they are empty again, and the rows stay short.
    if (slot[1].id.load(std::memory_order_relaxed) != kEmpty)
        return;
    const Slot* const first = current().slots().data();
    for (; slot->id.load(std::memory_order_relaxed) == kRemoved; --slot) {
        slot->id.store(kEmpty, std::memory_order_release);
        --m_used;
        if (slot == first)
            return;
    }
}

void HandleIndex::clear() noexcept
{
    for (Slot& slot : current().slots())
        slot.id.store(kEmpty, std::memory_order_release);
    m_used = 0;
}

void HandleIndex::grow()
{
    const Table old = current();
    const unsigned bits = m_owned.empty() ? kFirstBits : old.bits() + 1;
    m_owned.reserve(m_owned.size() + 1);
    const size_t count = Table::slotsFor(bits);
    const auto slots = static_cast<Slot*>(::operator new (count * sizeof(Slot), std::align_val_t{Table::kAlignment}));
    std::uninitialized_default_construct_n(slots, count);
    m_owned.emplace_back(slots);
    const Table table(slots, bits);
    m_used = 0;
    for (const Slot& slot : old.slots()) {
        const uint64_t id = slot.id.load(std::memory_order_relaxed);
        if (!isReserved(id))
            m_used += put(table, id, slot.value.load(std::memory_order_relaxed));
    }
    m_table.store(table.word(), std::memory_order_release);
}

}  // namespace millrace::layer
