// SPDX-License-Identifier: Apache-2.0
// Sums of a workgroup that stop at a bound. The workgroup has one dimension.

shared uint s_sums[gl_WorkGroupSize.x];

// No sum is more than that. Twice that is no overflow.
const uint kMostAddedUp = 1u << 30;

// Of all invocations up to this one. s_sums[gl_WorkGroupSize.x - 1] is that of all until the next call.
uint addUp(const uint sum)
{
    uint own = gl_LocalInvocationIndex;
    barrier();
    s_sums[own] = min(sum, kMostAddedUp);
    for (uint reach = 1u; reach < gl_WorkGroupSize.x; reach *= 2u) {
        barrier();
        uint other = own >= reach ? s_sums[own - reach] : 0u;
        barrier();
        s_sums[own] = min(s_sums[own] + other, kMostAddedUp);
    }
    barrier();
    return s_sums[own];
}
