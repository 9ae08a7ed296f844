// SPDX-License-Identifier: Apache-2.0
// Seeded numbers that are the same on every platform and standard library.
#pragma once

#include <cstdint>
#include <vector>

namespace millrace::random {

class Random {
public:
    explicit Random(uint64_t seed) : m_state(seed * 0x9e3779b97f4a7c15ull + 0x1234567) {}

    uint64_t next()
    {
        m_state += 0x9e3779b97f4a7c15ull;
        uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }

    uint32_t word() { return static_cast<uint32_t>(next() >> 32); }

    // 0 .. count - 1
    uint32_t below(uint32_t count) { return static_cast<uint32_t>((next() >> 32) * count >> 32); }

    // Both ends included.
    uint32_t range(uint32_t low, uint32_t high) { return low + below(high - low + 1); }

    bool chance(uint32_t percent) { return below(100) < percent; }

    template <typename T>
    const T& pick(const std::vector<T>& list)
    {
        return list[below(static_cast<uint32_t>(list.size()))];
    }

private:
    uint64_t m_state;
};

// The hash that shaders and host compute alike. Nodes call it in dozens of places, and drivers copy it to each: so it
// is as short as can be where low bits depend on all others.
inline uint32_t mix(uint32_t a, uint32_t b)
{
    const uint32_t h = (a ^ b * 0x9e3779b9u) * 0x7feb352du;
    return h ^ h >> 16;
}

}  // namespace millrace::random
