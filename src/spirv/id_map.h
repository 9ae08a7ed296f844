// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace millrace::spirv {

// A value for each of some ids; T{} for all others. As large as what it holds, however large ids are: a module may have
// few of the ids below its bound, as one that was extracted has.
template <typename T>
class IdMap {
public:
    T get(uint32_t id) const
    {
        const size_t slot = m_slots.empty() ? 0 : find(id);
        return m_slots.empty() || m_slots[slot].key == kNone ? T{} : m_slots[slot].value;
    }

    // Valid until the next call.
    T& at(uint32_t id)
    {
        if (2 * m_used >= m_slots.size())
            grow();
        Slot& slot = m_slots[find(id)];
        if (slot.key == kNone) {
            slot.key = id;
            ++m_used;
        }
        return slot.value;
    }

    void clear() { *this = IdMap(); }

private:
    static constexpr uint32_t kNone = UINT32_MAX;  // no id: beyond every bound
    static constexpr uint32_t kFirstBits = 4;

    struct Slot {
        uint32_t key = kNone;
        T value{};
    };

    // Where it is, or would be. Neighbours are spread, since linear probing is slow where they meet others.
    size_t find(uint32_t id) const
    {
        size_t slot = id * 0x9e3779b1u >> (32 - m_bits);
        while (m_slots[slot].key != id && m_slots[slot].key != kNone)
            slot = (slot + 1) & (m_slots.size() - 1);
        return slot;
    }

    void grow()
    {
        m_bits = m_slots.empty() ? kFirstBits : m_bits + 1;
        const std::vector<Slot> old = std::exchange(m_slots, std::vector<Slot>(size_t{1} << m_bits));
        for (const Slot& slot : old)
            if (slot.key != kNone)
                m_slots[find(slot.key)] = slot;
    }

    std::vector<Slot> m_slots;  // a power of two, at most half of them used
    size_t m_used = 0;
    uint32_t m_bits = 0;
};

}  // namespace millrace::spirv
