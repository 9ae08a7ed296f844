// SPDX-License-Identifier: Apache-2.0
// What shaders say goes into counters that do not depend on the order in which they say it.
#ifndef TELL_GLSL
#define TELL_GLSL

const uint kCounters = 4096u;

layout(set = 0, binding = 0) buffer Counters
{
    uint counters[kCounters];
};

uint mixed(uint h, uint word)
{
    h = (h ^ word) * 0x9e3779b1u;
    return h ^ (h >> 15);
}

void tell(uint h)
{
    atomicAdd(counters[mixed(h, 1u) % kCounters], h | 1u);
}

#endif
