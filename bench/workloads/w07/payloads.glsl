// SPDX-License-Identifier: Apache-2.0
#include "tree.glsl"
struct Visit {
    uint node;
    uint query;
};
layout(push_constant, scalar) uniform Arguments { Words hits; };
