// SPDX-License-Identifier: Apache-2.0
// Of all programs that do without a graph. Counters are 128 bytes apart: neighbours in one cache line cost 3.8 times the
// whole pass where pixels differ.
#include "picture.glsl"
const uint kStride = 32;

layout(push_constant, scalar) uniform Arguments {
    Words materials;
    Pairs colours;
    Pairs payloads;
    Words counters;      // of this run, zero before it
    Words nextCounters;  // of the next run, which the last dispatch clears
    Words extra;         // of the peer
    uint capacity;       // of each queue
    uint node;
};
