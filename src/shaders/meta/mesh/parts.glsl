// SPDX-License-Identifier: Apache-2.0
// How the workgroups of a kernel share what there is to look at: the first kernel of two leaves the sum of each part, the
// second one goes on from the sum of those in front of its own. So neither waits for another workgroup.

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Sums { uint v[]; };

// A part has as many at least, so that few have less to add up.
const uint kLeastPart = 512u;

uint partSize(const uint count, const uint parts)
{
    return max(count / parts + 1u, kLeastPart);
}

// From x on, up to y. Nothing for the last parts, where there is not enough.
uvec2 partOf(const uint count, const uint part, const uint parts)
{
    uint each = partSize(count, parts);
    uint begin = min(part * each, count);
    return uvec2(begin, min(count - begin, each) + begin);
}

// All of them, and those in front of a part.
struct PartSums {
    uint all;
    uint front;
};

// Of the parts that have something. Requires: no more parts than invocations.
PartSums addUpParts(const Sums sums, const uint count, const uint part, const uint parts)
{
    uint each = partSize(count, parts);
    uint used = count / each + (count % each != 0u ? 1u : 0u);
    uint own = gl_LocalInvocationIndex;
    addUp(own < used ? sums.v[own] : 0u);
    return PartSums(s_sums[gl_WorkGroupSize.x - 1u], part == 0u ? 0u : s_sums[part - 1u]);
}
