// SPDX-License-Identifier: Apache-2.0
// Invocations of a subgroup meet where they have parted. Each writes down what it saw; subgroup_test.cpp knows what that is.
#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Seen
{
    uint seen[];
};

const uint kWords = 24u;
shared uint total;

void put(uint word, uint value)
{
    seen[gl_LocalInvocationIndex * kWords + word] = value;
}

// One after the other, those with the same key serve themselves together.
void serve(uint key)
{
    bool waits = true;
    for (uint turn = 0u; waits; ++turn) {
        if (subgroupBroadcastFirst(key) == key) {
            uvec4 together = subgroupBallot(true);
            put(3, subgroupBallotBitCount(together));
            put(4, subgroupBallotExclusiveBitCount(together));
            put(5, subgroupElect() ? 1u : 0u);
            put(6, turn);
            waits = false;
        }
    }
}

// Some leave early, from inside a loop.
uint leave(uint i)
{
    for (uint round = 0u; round < 4u; ++round) {
        if (i % 4u == round)
            return subgroupAdd(1u) * 10u + round;
        if (subgroupAll(i % 4u == 3u))
            break;
    }
    return 7u;
}

void main()
{
    uint i = gl_LocalInvocationIndex;
    put(0, gl_SubgroupSize);
    put(1, gl_SubgroupID);
    put(2, gl_SubgroupInvocationID);
    if (i == 0u)
        total = 0u;
    barrier();
    serve(i * 7u % 3u);
    put(7, leave(i));
    // Parted, and together again.
    if (i % 2u == 0u) {
        put(8, subgroupExclusiveAdd(i));
        if (i % 3u == 0u)
            put(9, subgroupMax(i));
        else
            put(9, subgroupMin(i));
        atomicAdd(total, 1u);
    } else {
        put(8, subgroupInclusiveAdd(1u));
        put(9, subgroupShuffleXor(i, 2u));
    }
    put(10, subgroupBallotBitCount(subgroupBallot(true)));
    barrier();
    put(11, total);
    // Iterations of their own number.
    uint rounds = 0u;
    for (uint n = 0u; n < i % 5u; ++n) {
        if (n == 2u)
            continue;
        rounds += subgroupAdd(1u);
    }
    put(12, rounds);
    put(13, subgroupBallotBitCount(gl_SubgroupLtMask));
    put(14, subgroupClusteredAdd(1u, 4u));
    put(15, subgroupBroadcast(i, 0u));
    put(16, subgroupAny(i == 5u) ? 1u : 0u);
    put(17, subgroupInverseBallot(subgroupBallot(i % 3u == 1u)) ? 1u : 0u);
    put(18, subgroupBallotFindMSB(subgroupBallot(i % 2u == 0u)));
    put(19, subgroupBallotFindLSB(subgroupBallot(i % 2u == 1u)));
    put(20, gl_NumSubgroups);
    vec2 halves = subgroupAdd(vec2(0.5, float(i)));
    put(21, uint(halves.x * 2.0) + (uint(halves.y) << 8));
    put(22, subgroupAnd(0xffu - (i & 3u)));
    if (i % 7u == 6u)
        return;
    put(23, subgroupAdd(1u));
}
