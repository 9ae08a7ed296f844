// SPDX-License-Identifier: Apache-2.0
// Invocations of a subgroup that have nothing left to run take payloads from those that keep more than one
// (docs/fusion.md). The compiler moves the payloads (nodes/fusion/depth_first.cpp); here is who gives which, and who takes.
#ifndef MILLRACE_DEVICE_SHARING_GLSL
#define MILLRACE_DEVICE_SHARING_GLSL

#include "device/depth_first.glsl"

bool g_gives;
bool g_takes;
uint g_giver;  // invocation of the subgroup that g_takes is from

// Whether the invocation stays: it has something to run, or a neighbour. `next`: of mr_next_depth_first().
bool mr_stays(const uint next)
{
    g_takes = false;
    return mr_is_sharing() ? mr_subgroup_count(next != kNothingNext).total > 0u : next != kNothingNext;
}

// Whether it leaves what it keeps to others. Breadth first neighbours leave together, since it takes as long for all.
bool mr_leaves_now(const uint next)
{
    bool mayWait = mr_is_sharing() && g_is_wide;
    bool waits = mayWait && mr_subgroup_count(next == kInputNext || next == kKeptNext).total > 0u;
    return next == kLeaveNext && !waits;
}

// Whether payloads change hands: the n-th of those that keep more than one has one for the n-th of those that have nothing.
bool mr_shares(const uint next)
{
    if (!mr_is_sharing())
        return false;
    SubgroupSum takers = mr_subgroup_count(next == kNothingNext);
    g_between = kManyRuns;
    if (takers.total == 0u)
        return false;
    bool may_give = next == kKeptNext && mr_kept_count() > 1u;
    SubgroupSum givers = mr_subgroup_count(may_give);
    g_gives = may_give && givers.before < takers.total;
    g_takes = next == kNothingNext && takers.before < givers.total;
    g_giver = mr_subgroup_nth(may_give, takers.before);
    if (takers.total > givers.total)
        g_between = kFewRuns;
    return givers.total > 0u;
}

// The oldest payload of the stack, which has most levels behind it, and so presumably the largest tree.
uint mr_take_oldest()
{
    uint highest = uint(g_open.y != 0u ? 32 + findMSB(g_open.y) : findMSB(g_open.x));
    uint level = highest / MR_LEVEL_BITS;
    g_open = unpackUint2x32(packUint2x32(g_open) - (uint64_t(1) << (level * MR_LEVEL_BITS)));
    g_remaining = g_top_remaining + level;
    return kStackBegin + g_bottom++;
}

// Where the payload is that the invocation gives; any place for those that give none.
uint mr_place_to_give()
{
    if (!g_gives)
        return 0u;
    return g_first < g_last ? mr_take_from_queue() : mr_take_oldest();
}

// What the giver has; another value for those that take nothing.
uint mr_of_giver(const uint value)
{
    return mr_subgroup_shuffle(value, g_giver);
}

// The same with 64 bits, which few devices shuffle at once.
uint64_t mr_of_giver_long(const uint64_t value)
{
    uvec2 words = unpackUint2x32(value);
    return packUint2x32(uvec2(mr_of_giver(words.x), mr_of_giver(words.y)));
}

// Whether the invocation takes the payload.
bool mr_takes_given()
{
    uint levels = mr_of_giver(g_remaining | g_wide_until << 16);
    if (g_takes)
        mr_begin_tree(levels & 0xffffu, levels >> 16);
    return g_takes;
}

// Whether it runs a payload now.
bool mr_has_payload(const uint next)
{
    return next == kInputNext || next == kKeptNext || (MR_SHARES && g_takes);
}

#endif
