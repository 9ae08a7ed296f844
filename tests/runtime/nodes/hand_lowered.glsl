// SPDX-License-Identifier: Apache-2.0
// What the compiler would wrap around a node: arguments, and an output buffer for the tests.
#include "device/node.glsl"

layout(push_constant, scalar) uniform Arguments { uvec4 a; uvec4 b; } p;
layout(set = 0, binding = 0, scalar) buffer Result { uint count[]; } result;

uint hash(uint x)
{
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

Words input_words(const uint i) { return Words(mr_input_element(i)); }
Words output_words(const uvec4 handle, const uint i) { return Words(mr_element(handle, i)); }
