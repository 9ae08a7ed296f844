// SPDX-License-Identifier: Apache-2.0
#include "hand.glsl"
layout(push_constant, scalar) uniform Arguments {
    Words results;
    Pairs table;
    Words before;  // workgroups of the hands before in the same block of 1024
    Words blocks;  // workgroups of each block; or the hand of each workgroup
    uint groups;   // of all hands
};
