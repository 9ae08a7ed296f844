// SPDX-License-Identifier: Apache-2.0
// Breadth-first search. Vertices are of three kinds by their degree: few (below 32), some (below 1024), many.
#include "../buffers.glsl"
const uint kFew = 32;
const uint kSome = 1024;

uint kindOf(uint degree)
{
    return degree < kFew ? 0 : degree < kSome ? 1 : 2;
}
