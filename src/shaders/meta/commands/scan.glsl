// SPDX-License-Identifier: Apache-2.0
// One workgroup turns the sums of blocks into sums of all that is in front of each, and writes the sum of all behind the
// last.

shared uint s_sum_sequences[gl_WorkGroupSize.x];
shared uint s_sum_groups[gl_WorkGroupSize.x];

BlockSum add(const BlockSum x, const BlockSum y)
{
    return BlockSum(x.sequences + y.sequences, x.groups + y.groups);
}

// Of all invocations up to this one.
BlockSum addUp(const BlockSum sum)
{
    uint own = gl_LocalInvocationIndex;
    s_sum_sequences[own] = sum.sequences;
    s_sum_groups[own] = sum.groups;
    for (uint reach = 1u; reach < gl_WorkGroupSize.x; reach *= 2u) {
        barrier();
        BlockSum other = BlockSum(0u, 0u);
        if (own >= reach)
            other = BlockSum(s_sum_sequences[own - reach], s_sum_groups[own - reach]);
        barrier();
        s_sum_sequences[own] += other.sequences;
        s_sum_groups[own] += other.groups;
    }
    return BlockSum(s_sum_sequences[own], s_sum_groups[own]);
}

void addUpBlocks()
{
    Sums sums = Sums(a.sums);
    uint count = a.pipelineCount * a.blockCount;
    uint each = (count + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x;
    uint from = min(gl_LocalInvocationIndex * each, count);
    uint to = min(from + each, count);
    BlockSum own = BlockSum(0u, 0u);
    for (uint i = from; i < to; ++i)
        own = add(own, sums.v[i]);
    BlockSum behind = addUp(own);
    BlockSum front = BlockSum(behind.sequences - own.sequences, behind.groups - own.groups);
    for (uint i = from; i < to; ++i) {
        BlockSum here = sums.v[i];
        sums.v[i] = front;
        front = add(front, here);
    }
    if (gl_LocalInvocationIndex == gl_WorkGroupSize.x - 1u)
        sums.v[count] = behind;
}
