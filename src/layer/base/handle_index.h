// SPDX-License-Identifier: Apache-2.0
// From handles to addresses, without a lock for who looks one up: command buffers are looked up once for each command.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace millrace::layer {

// An open table. One thread at a time changes it, while any number look up others' handles; the application's own duty
// to not use a handle before it has it, nor behind its end, orders the two for one handle.
class HandleIndex {
public:
    HandleIndex() = default;
    HandleIndex(const HandleIndex&) = delete;
    HandleIndex& operator=(const HandleIndex&) = delete;

    // Replaces what the handle led to. May throw std::bad_alloc, and changes nothing then.
    void insert(uint64_t id, void* value);
    void remove(uint64_t id) noexcept;
    void clear() noexcept;

    // Null if it is not there.
    void* find(uint64_t id) const noexcept
    {
        const Table* const table = m_table.load(std::memory_order_acquire);
        if (!table || isReserved(id))
            return nullptr;
        for (size_t i = table->firstOf(id);; ++i) {
            const Slot& slot = table->slots[i & table->mask];
            const uint64_t found = slot.id.load(std::memory_order_acquire);
            if (found == id)
                return slot.value.load(std::memory_order_relaxed);
            if (found == kEmpty)
                return nullptr;
        }
    }

    // No handle that a driver gives is one of these.
    static constexpr bool isReserved(uint64_t id) { return id == kEmpty || id == kRemoved; }
    size_t capacity() const { return m_tables.empty() ? 0 : m_tables.back()->mask + 1; }  // for tests

private:
    static constexpr uint64_t kEmpty = 0;
    static constexpr uint64_t kRemoved = ~uint64_t{0};  // others may be behind it

    struct Slot {
        std::atomic<uint64_t> id{kEmpty};
        std::atomic<void*> value{nullptr};
    };

    struct Table {
        explicit Table(unsigned bits)
            : mask((size_t{1} << bits) - 1), shift(64 - bits), slots(std::make_unique<Slot[]>(size_t{1} << bits))
        {
        }
        size_t firstOf(uint64_t id) const { return static_cast<size_t>(id * 0x9e3779b97f4a7c15u >> shift); }

        const size_t mask;
        const unsigned shift;
        const std::unique_ptr<Slot[]> slots;
    };

    static bool put(Table& table, uint64_t id, void* value) noexcept;
    Slot* slotOf(uint64_t id) noexcept;
    void grow();

    // Those before the last are still read by who had them; together they are no larger than it.
    std::vector<std::unique_ptr<Table>> m_tables;
    std::atomic<Table*> m_table{nullptr};
    size_t m_used = 0;  // slots that are not empty
};

}  // namespace millrace::layer
