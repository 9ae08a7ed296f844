// SPDX-License-Identifier: Apache-2.0
#include "../buffers.glsl"

uint nextValue(uint value)
{
    return value * 1664525u + 1013904223u;
}
