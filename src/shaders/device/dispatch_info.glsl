// SPDX-License-Identifier: Apache-2.0
// Reading what the application says in device memory.
#ifndef MILLRACE_DEVICE_DISPATCH_INFO_GLSL
#define MILLRACE_DEVICE_DISPATCH_INFO_GLSL

#include "device/graph.glsl"

// `bytes` (1 to 4) bytes at any address, without touching a word that holds none of them.
uint mr_read_bytes(const uint64_t address, const uint bytes)
{
    Words words = Words(address & ~uint64_t(3));
    uint shift = uint(address) & 3u;
    uint value = words.v[0] >> (shift * 8u);
    if (shift > 0u && bytes > 4u - shift)
        value |= words.v[1] << (32u - shift * 8u);
    return value;
}

uint64_t mr_read_long(const uint64_t address)
{
    return packUint2x32(uvec2(mr_read_bytes(address, 4u), mr_read_bytes(address + uint64_t(4u), 4u)));
}

// The first is at a multiple of 4 (executionGraphDispatchAddressAlignment), but no rule says so of the stride.
DispatchInfo mr_read_info(const uint64_t address)
{
    return DispatchInfo(mr_read_bytes(address, 4u), mr_read_bytes(address + uint64_t(4u), 4u), mr_read_long(address + uint64_t(8u)),
                        mr_read_long(address + uint64_t(16u)));
}

DispatchCountInfo mr_read_count_info(const uint64_t address)
{
    Words w = Words(address);
    return DispatchCountInfo(w.v[0], 0u, packUint2x32(uvec2(w.v[2], w.v[3])), packUint2x32(uvec2(w.v[4], w.v[5])));
}

#endif
