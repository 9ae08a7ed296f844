// SPDX-License-Identifier: Apache-2.0
// What workloads share: a hash as in buffers.glsl, and random numbers that are the same everywhere.
#pragma once

#include <cstdint>

#include "bench/suite/bench.h"

namespace millrace::bench {

inline uint32_t mix32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// The standard library's distributions differ between implementations.
class Random {
public:
    explicit Random(uint32_t seed) : m_state(seed) {}
    uint32_t word() { return mix32(m_state += 0x9e3779b9u); }
    uint32_t below(uint32_t bound) { return static_cast<uint32_t>(uint64_t{word()} * bound >> 32); }
    double unit() { return word() / 4294967296.0; }

private:
    uint32_t m_state;
};

inline std::string text(uint64_t value)
{
    return std::to_string(value);
}

}  // namespace millrace::bench
