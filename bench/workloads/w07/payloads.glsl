// SPDX-License-Identifier: Apache-2.0
#include "tree.glsl"
struct Visit {
    uint node;
    uint query;
    uint at;  // of the query, x | y << 16: to work it out again takes longer
};
struct Leaf {
    uint node;
    uint query;
};
layout(push_constant, scalar) uniform Arguments { Words hits; };
