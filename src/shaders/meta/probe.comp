// SPDX-License-Identifier: Apache-2.0
// Measures how many workgroups of MR_INVOCATIONS run at once: each that begins stays until none has come for a while.
// Nobody waits for anybody without an end, since a device need not run workgroups side by side.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/probe.h"

layout(local_size_x = MR_INVOCATIONS) in;
layout(push_constant, scalar) uniform Arguments { ProbeArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer States { ProbeState v; };

void main()
{
    if (gl_LocalInvocationIndex == 0u) {
        States state = States(a.state);
        uint seen = atomicAdd(state.v.arrivals, 1u) + 1u;
        uint quiet = 0u;
        uint delay = seen;
        for (uint i = 0u; i < a.maxPolls && quiet < a.quietPolls && (seen & kProbeClosed) == 0u; ++i) {
            // Some time between two looks: thousands look at one place.
            for (uint j = 0u; j < 64u; ++j)
                delay = delay * 1664525u + 1013904223u;
            // An atomic that changes nothing: plain reads may be taken out of the loop.
            uint now = atomicOr(state.v.arrivals, a.nothing & delay);
            quiet = now == seen ? quiet + 1u : 0u;
            seen = now;
        }
        // Those that begin later count on, but no longer for the result.
        uint before = atomicOr(state.v.arrivals, kProbeClosed);
        if ((before & kProbeClosed) == 0u)
            state.v.resident = before;
    }
    // The whole workgroup holds its place meanwhile.
    barrier();
}
