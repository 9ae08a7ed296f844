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

// Children of a node (x | y << 16) of a level that a query meets, as bits. Requires: it meets the node.
uint childrenOf(uint node, uint level, uvec2 query)
{
    const uint side = kUnits << (DEPTH - level - 1);
    const uvec2 middle = (uvec2(node & 0xffff, node >> 16) * 2 + 1) * side;
    const bvec2 low = lessThan(query, middle);
    const bvec2 high = greaterThan(query + kQuery, middle);
    const uint columns = (low.x ? 1 : 0) | (high.x ? 2 : 0);
    return (low.y ? columns : 0) | (high.y ? columns << 2 : 0);
}

uint childOf(uint node, uint i)
{
    return 2 * node + (i % 2 | i / 2 << 16);
}

uint hitOf(uint leaf, uint query)
{
    return mix32(leaf * 31 + query);
}
