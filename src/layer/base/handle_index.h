// SPDX-License-Identifier: Apache-2.0
// From handles to addresses, without a lock for who looks one up: command buffers are looked up once for each command.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace millrace::layer {

// An open table. One thread at a time changes it, while any number look up others' handles; the application's own duty
// to not use a handle before it has it, nor behind its end, orders the two for one handle.
class HandleIndex {
public:
    HandleIndex() : m_table(Table(s_none.slots, 1).word()) {}
    HandleIndex(const HandleIndex&) = delete;
    HandleIndex& operator=(const HandleIndex&) = delete;

    // Replaces what the handle led to. May throw std::bad_alloc, and changes nothing then.
    void insert(uint64_t id, void* value);
    void remove(uint64_t id) noexcept;
    void clear() noexcept;

    // Null if it is not there.
    void* find(uint64_t id) const noexcept { return isReserved(id) ? nullptr : findValid(id); }
    // The same. Requires: a handle that a driver has given.
    void* findValid(uint64_t id) const noexcept
    {
        for (const Slot* slot = firstSlotOf(id);; ++slot) {
            const uint64_t found = slot->id.load(std::memory_order_acquire);
            if (found == id) [[likely]]
                return slot->value.load(std::memory_order_relaxed);
            if (found == kEmpty)
                return nullptr;
        }
    }

    // No handle that a driver gives is one of these.
    static constexpr bool isReserved(uint64_t id) { return id == kEmpty || id == kRemoved; }
    size_t capacity() const { return m_owned.empty() ? 0 : current().count(); }  // for tests

private:
    static constexpr uint64_t kEmpty = 0;
    static constexpr uint64_t kRemoved = ~uint64_t{0};  // others may be behind it

    struct Slot {
        std::atomic<uint64_t> id{kEmpty};
        std::atomic<void*> value{nullptr};
    };

    // Where the slots are and how many, in one word: who looks something up reads it once. The slots are aligned so
    // that the lowest bits of their address are free. A handle is in the first free slot behind its own at the time.
    // Handles have `count()` slots of their own and at most half of them are used, so half as many slots behind suffice
    // for those that find theirs taken, and one more stays empty: nobody who goes on has to look where the slots end.
    class Table {
    public:
        static constexpr size_t kAlignment = 64;

        explicit Table(uintptr_t word) : m_word(word) {}
        // For slotsFor(bits) slots.
        Table(Slot* slots, unsigned bits) : m_word(reinterpret_cast<uintptr_t>(slots) | (64 - bits)) {}
        static size_t slotsFor(unsigned bits) { return (size_t{3} << bits) / 2 + 1; }

        uintptr_t word() const { return m_word; }
        unsigned bits() const { return 64 - shift(); }
        size_t count() const { return size_t{1} << bits(); }
        std::span<Slot> slots() const { return {begin(), slotsFor(bits())}; }
        Slot* firstOf(uint64_t id) const { return begin() + static_cast<size_t>(id * 0x9e3779b97f4a7c15u >> shift()); }

    private:
        Slot* begin() const { return reinterpret_cast<Slot*>(m_word & ~uintptr_t{kAlignment - 1}); }
        unsigned shift() const { return m_word % kAlignment; }

        uintptr_t m_word;
    };

    struct Free {
        void operator()(Slot* slots) const { ::operator delete (slots, std::align_val_t{Table::kAlignment}); }
    };

    Table current() const { return Table(m_table.load(std::memory_order_relaxed)); }
    Slot* slotOf(uint64_t id) noexcept;
    static bool put(Table table, uint64_t id, void* value) noexcept;
    Slot* firstSlotOf(uint64_t id) const noexcept { return Table(m_table.load(std::memory_order_acquire)).firstOf(id); }
    void grow();

    // Of an index that has never had anything.
    struct alignas(Table::kAlignment) None {
        Slot slots[4];
    };
    static None s_none;

    // Those before the last are still read by who had them; together they are no larger than it.
    std::vector<std::unique_ptr<Slot, Free>> m_owned;
    std::atomic<uintptr_t> m_table;
    size_t m_used = 0;  // slots that are not empty
};

}  // namespace millrace::layer
