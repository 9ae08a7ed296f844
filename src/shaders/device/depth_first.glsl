// SPDX-License-Identifier: Apache-2.0
// Recursion depth first (docs/fusion.md): behind each payload, an invocation runs what that sent, and what that sent in
// turn, from a stack of its own. So no payload needs memory, and invocations whose trees differ do not wait for each
// other, level after level. The payloads are the compiler's (nodes/fusion/depth_first.h); here is which one comes next.
//
// Neighbours that have nothing left take some of what an invocation keeps (device/sharing.glsl).
//
// Where a slot has too few payloads for all invocations of the device, each runs some breadth first and leaves what they
// send to others, in the next slot; likewise what is on the stack of one that has run long. That is never necessary: it
// asks for memory when it does it, and goes on by itself if there is none.
#ifndef MILLRACE_DEVICE_DEPTH_FIRST_GLSL
#define MILLRACE_DEVICE_DEPTH_FIRST_GLSL

#include "device/locate.glsl"

uint64_t mr_output_element(const uvec4 handle, const uint i);

const uint kStackBegin = MR_QUEUE_PAYLOADS + 1u;

const uint kNothingNext = 0u;
const uint kInputNext = 1u;  // the invocation's next payload of the slot,
const uint kKeptNext = 2u;   // one that it has kept, to run
const uint kLeaveNext = 3u;  // or it leaves all that it has kept to others, if there is memory

// Runs behind a payload of the slot before it leaves the rest to others.
const uint kMostRuns = 512u;
// Depth first, between two looks whether neighbours have nothing to run: if they had at the last one, and if not. Breadth
// first, an invocation looks behind each run.
const uint kFewRuns = 1u;
const uint kManyRuns = 4u;

bool g_shares;      // what is kept, with others of the subgroup (device/sharing.glsl)
Unit g_own;         // the invocation's unit
uint g_remaining;   // recursion levels behind the payload in hand
uint g_runs;        // since the last payload of the slot
uint g_stop;        // so many of them, and it looks at what its neighbours have
uint g_between;     // from one such look to the next
bool g_is_wide;     // breadth first,
uint g_wide_until;  // while payloads have so many levels behind them
uvec4 g_left;       // handle of the payloads that it leaves to others

// Breadth first: a queue, of which the first payloads are of one level and all others of the next.
uint g_first;
uint g_last;  // behind the last one
uint g_front_remaining;
uint g_front_count;

// Depth first: the first payload that the last run has sent, which comes next, in one place behind the queue, and all
// others on a stack behind that. Memory of neighbours is side by side for one place, and invocations are at different
// places of their stacks: so most payloads take one access for all, where the stack takes up to one for each (W13 on an
// H200: 487 us without, 464 so; W7 nothing).
bool g_has_first;
uint g_bottom;  // what was below was given to others of the subgroup (device/sharing.glsl)
uint g_stack;
// How many there are of each level, in bits of their own, of which the lowest are for the level with g_top_remaining
// behind it.
uvec2 g_open;
uint g_top_remaining;

bool mr_is_sharing()
{
    return MR_SHARES && g_shares;
}

void mr_begin_depth_first()
{
    g_shares = g_total < Unit(kFullPayloads);
    // There is memory for a step of others behind each payload.
    g_is_wide = g_total < Unit(min(MR_BUSY_PAYLOADS, MR_SLOT.leaving / kLeavingStep));
    g_wide_until = 0u;
    g_remaining = 0u;
    g_runs = 0u;
    g_stop = 0u;
    g_between = kManyRuns;
    g_first = 0u;
    g_last = 0u;
    g_front_remaining = 0u;
    g_front_count = 0u;
    g_has_first = false;
    g_bottom = 0u;
    g_stack = 0u;
    g_open = uvec2(0u);
    g_top_remaining = 0u;
}

// The whole chunk at once, of which each invocation takes its own payloads when it has time for them.
void mr_locate_depth_first()
{
    mr_seek(g_unit);
    g_own = g_unit + Unit(gl_LocalInvocationIndex / g_apart);
    if (gl_LocalInvocationIndex % g_apart != 0u)
        g_own = g_end;
    g_input_count = mr_is_sharing() || g_own < g_end ? 1u : 0u;
    // In front of the step that comes first.
    if (g_own < g_end)
        g_own -= Unit(mr_units_per_group());
    g_unit = g_end;
}

uint mr_top_remaining()
{
    uint offset = MR_SLOT.remainingOffset;
    return offset == kNoOffset ? MR_SLOT.remainingRecursion : Words(g_payload + uint64_t(offset)).v[0];
}

// The levels of a tree are shared out evenly to the slots that run, this one and those below: where there are as many slots
// as levels, each invocation runs one payload.
uint mr_last_wide_level()
{
    uint slots = MR_SLOT.leaving % kLeavingStep + 1u;
    return g_remaining + 1u - (g_remaining + slots) / slots;
}

bool mr_goes_deep()
{
    return g_has_first || g_stack > g_bottom;
}

bool mr_keeps_some()
{
    return mr_goes_deep() || g_first < g_last;
}

// Whether it may run another payload breadth first.
bool mr_goes_wide()
{
    uint next_remaining = g_front_remaining - (g_front_count == 0u ? 1u : 0u);
    return g_first < g_last && next_remaining >= g_wide_until && g_last + MR_SENT_MOST <= MR_QUEUE_PAYLOADS;
}

// Depth first.
uint mr_next_stop()
{
    return mr_is_sharing() ? g_runs + g_between : kMostRuns;
}

// For a payload, behind which nothing is kept.
void mr_begin_tree(const uint remaining, const uint wide_until)
{
    g_remaining = remaining;
    g_wide_until = wide_until;
    g_runs = 0u;
    g_first = 0u;
    g_last = 0u;
    g_bottom = 0u;
    g_stack = 0u;
    g_stop = mr_next_stop();
}

// Each invocation for itself, as the others.
uint mr_next_depth_first()
{
    if (mr_keeps_some()) {
        g_stop = mr_next_stop();
        return (g_is_wide ? !mr_goes_wide() : g_runs >= kMostRuns) ? kLeaveNext : kKeptNext;
    }
    Unit own = g_own + Unit(mr_units_per_group());
    if (own >= g_end)
        return kNothingNext;
    g_own = own;
    g_payload = mr_indexed_payload(own);
    g_remaining = mr_top_remaining();
    mr_begin_tree(g_remaining, mr_last_wide_level());
    return kInputNext;
}

uint mr_take_deep()
{
    // Levels of which nothing is left go.
    uint zeros = uint(g_open.x != 0u ? findLSB(g_open.x) : 32 + findLSB(g_open.y));
    uint levels = zeros / MR_LEVEL_BITS;
    g_open = unpackUint2x32(packUint2x32(g_open) >> levels * MR_LEVEL_BITS);
    --g_open.x;
    g_top_remaining += levels;
    g_remaining = g_top_remaining;
    if (!g_has_first)
        return kStackBegin + --g_stack;
    g_has_first = false;
    return MR_QUEUE_PAYLOADS;
}

uint mr_take_from_queue()
{
    if (g_front_count == 0u) {
        --g_front_remaining;
        g_front_count = g_last - g_first;
    }
    --g_front_count;
    g_remaining = g_front_remaining;
    return g_first++;
}

// Takes a payload that is kept, of which there is one. Returns its place.
uint mr_take_kept()
{
    if (mr_goes_deep())
        return mr_take_deep();
    // What it gave to others may have been all of the stack.
    g_bottom = 0u;
    g_stack = 0u;
    return mr_take_from_queue();
}

uint mr_kept_count()
{
    return g_stack - g_bottom + (g_has_first ? 1u : 0u) + g_last - g_first;
}

// The same for others, to whom it is payload `i` of what mr_allocate_invocation() gave.
uint mr_take_to_leave(const uint i)
{
    uint place = mr_take_kept();
    Words(mr_output_element(g_left, i) + uint64_t(MR_SLOT.leftOffset)).v[0] = g_remaining;
    return place;
}

// Where the node puts the first payload that it sends,
uint mr_place_of_first()
{
    return g_is_wide ? g_last : MR_QUEUE_PAYLOADS;
}

// and payload i > 0, less i.
uint mr_place_to_keep()
{
    return g_is_wide ? g_last : kStackBegin + g_stack - 1u;
}

// Keeps the `count` payloads that the node has put there. Returns whether to run another one that is kept.
bool mr_keep(const uint count)
{
    uint sent = g_remaining > 0u ? count : 0u;
    if (g_is_wide) {
        if (g_first == g_last) {
            g_front_remaining = g_remaining - 1u;
            g_front_count = sent;
        }
        g_last += sent;
        return !mr_is_sharing() && mr_goes_wide();
    }
    if (sent > 0u) {
        g_open = unpackUint2x32(packUint2x32(g_open) << MR_LEVEL_BITS);
        g_open.x |= sent;
        g_top_remaining = g_remaining - 1u;
        g_has_first = true;
        g_stack += sent - 1u;
    }
    return mr_goes_deep() && ++g_runs < g_stop;
}

// There is no memory for others to take it.
void mr_keep_all()
{
    g_is_wide = false;
    g_runs = 0u;
}

#endif
