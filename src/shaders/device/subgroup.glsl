// SPDX-License-Identifier: Apache-2.0
// What the invocations of a subgroup do together, in each form that a device may have (trait subgroup_operations). No other
// shader of ours names a subgroup. All functions are for those invocations that come to them together.
#ifndef MILLRACE_DEVICE_SUBGROUP_GLSL
#define MILLRACE_DEVICE_SUBGROUP_GLSL

#include "abi/graph_memory.h"

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#if defined(MR_DEPTH_FIRST)
#extension GL_KHR_shader_subgroup_shuffle : require
#endif

// A number for all that are here together, and for those of them in front of the invocation.
struct SubgroupSum {
    uint total;
    uint before;
};

// True for one of them.
bool mr_subgroup_elect()
{
    return MR_SUBGROUP_OPERATIONS == kSubgroupNone ? true : subgroupElect();
}

// What the first of them has.
uint mr_subgroup_first(const uint value)
{
    return MR_SUBGROUP_OPERATIONS == kSubgroupNone ? value : subgroupBroadcastFirst(value);
}

uvec2 mr_subgroup_first_pair(const uvec2 value)
{
    return MR_SUBGROUP_OPERATIONS == kSubgroupNone ? value : subgroupBroadcastFirst(value);
}

// How many of them say yes.
SubgroupSum mr_subgroup_count(const bool yes)
{
    if (MR_SUBGROUP_OPERATIONS == kSubgroupNone)
        return SubgroupSum(yes ? 1u : 0u, 0u);
    uvec4 mask = subgroupBallot(yes);
    return SubgroupSum(subgroupBallotBitCount(mask), subgroupBallotExclusiveBitCount(mask));
}

// The number of the n-th of them that say yes (n = 0: the first), which may be another n for each; with too few, any number.
uint mr_subgroup_nth(const bool yes, const uint n)
{
    if (MR_SUBGROUP_OPERATIONS == kSubgroupNone)
        return 0u;
    uvec4 mask = subgroupBallot(yes);
    uint rest = n;
    uint first = 0u;
    uint bits = mask.x;
    // A loop over the words would have compilers put them in memory.
    if (rest >= uint(bitCount(bits))) {
        rest -= uint(bitCount(bits));
        first = 32u;
        bits = mask.y;
        if (rest >= uint(bitCount(bits))) {
            rest -= uint(bitCount(bits));
            first = 64u;
            bits = mask.z;
            if (rest >= uint(bitCount(bits))) {
                rest -= uint(bitCount(bits));
                first = 96u;
                bits = mask.w;
            }
        }
    }
    uint at = 0u;
    for (uint width = 16u; width > 0u; width >>= 1) {
        uint ones = uint(bitCount(bitfieldExtract(bits, int(at), int(width))));
        bool isBehind = rest >= ones;
        rest -= isBehind ? ones : 0u;
        at += isBehind ? width : 0u;
    }
    return first + at;
}

#if defined(MR_DEPTH_FIRST)
// What invocation number `invocation` of them has.
uint mr_subgroup_shuffle(const uint value, const uint invocation)
{
    return MR_SUBGROUP_OPERATIONS == kSubgroupNone ? value : subgroupShuffle(value, invocation);
}
#endif

// Adds up bit by bit: as many ballots as the largest number has bits, and one more. All leave the loop together.
SubgroupSum mr_subgroup_sum_by_ballots(const uint number)
{
    SubgroupSum sum = SubgroupSum(0u, 0u);
    uint rest = number;
    for (uint bit = 0u; bit < 32u && mr_subgroup_count(rest != 0u).total > 0u; ++bit) {
        SubgroupSum ones = mr_subgroup_count((rest & 1u) != 0u);
        sum.total += ones.total << bit;
        sum.before += ones.before << bit;
        rest >>= 1;
    }
    return sum;
}

// The sum of their numbers, which has 32 bits.
SubgroupSum mr_subgroup_sum(const uint number)
{
    if (MR_SUBGROUP_OPERATIONS == kSubgroupNone)
        return SubgroupSum(number, 0u);
    if (MR_SUBGROUP_OPERATIONS == kSubgroupBallot)
        return mr_subgroup_sum_by_ballots(number);
    return SubgroupSum(subgroupAdd(number), subgroupExclusiveAdd(number));
}

// From the highest bit on: once one of those that may have the largest number has a bit, those without have it not.
uint mr_subgroup_max_by_ballots(const uint number)
{
    uint most = 0u;
    bool leads = true;
    for (uint bit = 0x80000000u; bit != 0u; bit >>= 1) {
        bool has = leads && (number & bit) != 0u;
        if (mr_subgroup_count(has).total > 0u) {
            most |= bit;
            leads = has;
        }
    }
    return most;
}

uint mr_subgroup_max(const uint number)
{
    if (MR_SUBGROUP_OPERATIONS == kSubgroupNone)
        return number;
    if (MR_SUBGROUP_OPERATIONS == kSubgroupBallot)
        return mr_subgroup_max_by_ballots(number);
    return subgroupMax(number);
}

#endif
