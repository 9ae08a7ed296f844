// SPDX-License-Identifier: Apache-2.0
// A complete tree of squares, each cut into four, DEPTH times. A query is a small square; it goes to all that it meets.
#include "../buffers.glsl"
const uint kUnits = 16;  // of length, of a leaf
const uint kQuery = 8;   // length of a query

uvec2 queryAt(uint query)
{
    const uint bound = (kUnits << DEPTH) - kQuery;
    return uvec2(mix32(2 * query) % bound, mix32(2 * query + 1) % bound);
}

// Children of a node (x | y << 16) of a level that a query meets, as bits.
uint childrenOf(uint node, uint level, uvec2 query)
{
    const uint side = kUnits << (DEPTH - level - 1);
    uint bits = 0;
    for (uint i = 0; i < 4; ++i) {
        const uvec2 low = (uvec2(node & 0xffff, node >> 16) * 2 + uvec2(i % 2, i / 2)) * side;
        if (all(lessThan(query, low + side)) && all(greaterThan(query + kQuery, low))) {
            bits |= 1 << i;
        }
    }
    return bits;
}

uint childOf(uint node, uint i)
{
    return 2 * node + (i % 2 | i / 2 << 16);
}

uint hitOf(uint leaf, uint query)
{
    return mix32(leaf * 31 + query);
}
