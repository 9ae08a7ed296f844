// SPDX-License-Identifier: Apache-2.0
// Memory for payloads and their entries in the streams. Used by node shaders and by feed.comp.
#ifndef MILLRACE_DEVICE_PUBLISH_GLSL
#define MILLRACE_DEVICE_PUBLISH_GLSL

#include "device/graph.glsl"
#include "device/subgroup.glsl"

const uint kNoLocation = 0xffffffffu;

// What this workgroup of ours has allocated since it last reserved or took work: granules or, where all goes to one queue
// and everything fits, payloads.
shared uint s_used;
#if !defined(MR_FITS)
// And how many entries it has appended to all streams, where it reserved some.
shared uint s_appended;
#endif

// Takes `granules` of the region of `level`, with one atomic for all invocations of the subgroup that are here. Returns their location, or kNoLocation if the region is full, which the
// reservation (or the plan) excludes unless the node allocates more than it declared: `count` payloads.
uint mr_take_granules(const uint64_t graph, const uint level, const uint64_t granules, const uint count)
{
    LevelStates levels = LevelStates(MR_HEADER(graph).levelStates);
    uint size = levels.v[level].size;
    const uint kTooMuch = 1u << 24;  // that so many invocations of a subgroup do not overflow 32 bits
    if (granules > uint64_t(min(size, kTooMuch))) {
        mr_note(kErrorPayloadCount, count, count);
        return kNoLocation;
    }
    uint location = levels.v[level].begin;
    uint wanted = uint(granules);
    SubgroupSum sum = mr_subgroup_sum(wanted);
    if (sum.total == 0u)
        return location;
    uint before = 0u;
    if (mr_subgroup_elect()) {
        before = atomicAdd(levels.v[level].used, sum.total);
        atomicAdd(s_used, sum.total);
    }
    uint offset = sum.before + mr_subgroup_first(before);
    if (offset > size - wanted) {
        atomicAdd(levels.v[level].used, 0u - wanted);
        atomicAdd(s_used, 0u - wanted);
        mr_note(kErrorPayloadCount, count, count);
        return kNoLocation;
    }
    return location + offset;
}

// The same for an invocation that is alone, and has no use for additions over the subgroup.
uint mr_take_granules_alone(const uint64_t graph, const uint level, const uint64_t granules, const uint count)
{
    LevelStates levels = LevelStates(MR_HEADER(graph).levelStates);
    uint size = levels.v[level].size;
    uint wanted = uint(min(granules, uint64_t(size)));
    uint before = granules > uint64_t(size) ? size : atomicAdd(levels.v[level].used, wanted);
    if (before <= size - wanted && granules <= uint64_t(size)) {
        atomicAdd(s_used, wanted);
        return levels.v[level].begin + before;
    }
    if (granules <= uint64_t(size))
        atomicAdd(levels.v[level].used, 0u - wanted);
    mr_note(kErrorPayloadCount, count, count);
    return kNoLocation;
}

const uint kGranuleShift = 4u;  // of kGranuleBytes; no 64-bit division, see mr_divide()

uint64_t mr_granules(const uint stride, const uint count)
{
    return (uint64_t(count) * uint64_t(stride) + uint64_t(kGranuleBytes - 1u)) >> kGranuleShift;
}

// Appends an entry for `count` > 0 payloads that lie one after the other to an indexed stream, whose table has room for
// `capacity`: entry rank and first payload come from one 64-bit atomic, so the table is sorted by construction. Without,
// an entry has its number of payloads until meta/number.comp adds them up.
void mr_append_run(StreamStates state, const uint64_t table, const uint capacity, const uint location, const uint count)
{
    uint rank;
    uint first = count;
    if (MR_LONG_ATOMICS) {
        uint64_t before = atomicAdd(state.v[0].counter, (uint64_t(1) << kUnitBits) | uint64_t(count));
        rank = uint(before >> kUnitBits);
        first = uint(before & kUnitMask);
    } else {
        rank = atomicAdd(state.v[0].appended, 1u);
    }
#if !defined(MR_FITS)
    atomicAdd(s_appended, 1u);
#endif
    if (rank == 0u)
        state.v[0].firstLocation = location;
    if (rank < capacity)
        NewIndexedEntries(table).v[rank] = IndexedEntry(location, first);
    else
        mr_note(kErrorPayloadCount, count, count);
}

StreamStates mr_stream_state(const uint64_t streamStates, const uint stream)
{
    return StreamStates(streamStates + uint64_t(stream * kStreamStateBytes));
}

// The same, unless `stream` is kNoStream.
void mr_publish_run(const uint64_t streamStates, const uint stream, const uint location, const uint count)
{
    if (stream == kNoStream)
        return;
    StreamStates state = mr_stream_state(streamStates, stream);
    // Read before the atomic, so that they are there when it is.
    uint64_t table = state.v[0].table;
    uint capacity = state.v[0].capacity;
    mr_append_run(state, table, capacity, location, count);
}

// The finish counters of a payload start at 0.
void mr_clear_finish_counters(const uint64_t graph, const uint queue, const uint64_t payload)
{
    QueueInfos queues = QueueInfos(MR_HEADER(graph).queues);
    uint count = queues.v[queue].finishCount;
    Words words = Words(payload + uint64_t(queues.v[queue].finishOffset));
    for (uint i = 0u; i < count; ++i)
        words.v[i] = 0u;
}

// One component of a grid: 8, 16 or 32 bits wide, at any multiple of its width.
uint mr_grid_component(const uint64_t address, const uint bytes)
{
    uint word = Words(address & ~uint64_t(3)).v[0];
    return bitfieldExtract(word, int((uint(address) & 3u) * 8u), int(bytes * 8u));
}

uvec3 mr_read_grid(const StreamInfo info, const uint64_t payload)
{
    uvec3 grid = uvec3(1u);
    uint64_t at = payload + uint64_t(info.gridOffset);
    grid.x = mr_grid_component(at, info.gridComponentBytes);
    if (info.gridComponents > 1u)
        grid.y = mr_grid_component(at + uint64_t(info.gridComponentBytes), info.gridComponentBytes);
    if (info.gridComponents > 2u)
        grid.z = mr_grid_component(at + uint64_t(2u * info.gridComponentBytes), info.gridComponentBytes);
    return grid;
}

// Workgroups of a grid, or 0 if it is empty or above the limits (reported).
uint mr_grid_groups(const StreamInfo info, const uvec3 grid)
{
    if (any(equal(grid, uvec3(0u))))
        return 0u;
    uint plane = grid.x * grid.y;  // limits have 16 bits
    bool inside = all(lessThanEqual(grid, uvec3(info.maxX, info.maxY, info.maxZ))) &&
                  uint64_t(plane) * uint64_t(grid.z) <= uint64_t(info.maxGroups);
    if (!inside) {
        mr_note(kErrorGridSize, max(grid.x, max(grid.y, grid.z)), 1u);
        return 0u;
    }
    return plane * grid.z;
}

// The counter of a dynamic stream before so many entries of so many workgroups; without 64-bit atomics the entries alone.
uvec2 mr_count_dynamic(StreamStates states, const uint stream, const uint entries, const uint groups)
{
    if (MR_LONG_ATOMICS)
        return unpackUint2x32(
            atomicAdd(states.v[stream].counter, (uint64_t(entries) << kUnitBits) | uint64_t(groups)));
    return unpackUint2x32(uint64_t(atomicAdd(states.v[stream].appended, entries)) << kUnitBits);
}

// Publishes one payload per active invocation to a dynamic stream; streams may differ between invocations. One atomic
// per subgroup and stream. `payload` lies at `location` granules plus `byteOffset` bytes.
void mr_publish_dynamic(const uint64_t graph, const uint stream, const uint64_t payload)
{
    StreamInfo info = StreamInfos(MR_HEADER(graph).streams).v[stream];
    StreamStates states = StreamStates(MR_HEADER(graph).streamStates);
    uvec3 grid = mr_read_grid(info, payload);
    uint groups = mr_grid_groups(info, grid);
    bool waiting = groups > 0u;
    while (waiting) {
        uint served = mr_subgroup_first(stream);
        if (served == stream) {
            // At most 128 invocations times 2^24 - 1 groups: 32 bits suffice.
            SubgroupSum units = mr_subgroup_sum(groups);
            SubgroupSum entries = mr_subgroup_count(true);
            uvec2 counter = uvec2(0u);
            if (mr_subgroup_elect()) {
                counter = mr_count_dynamic(states, stream, entries.total, units.total);
#if !defined(MR_FITS)
                atomicAdd(s_appended, entries.total);
#endif
            }
            uint64_t base = packUint2x32(mr_subgroup_first_pair(counter));
            uint rank = uint(base >> kUnitBits) + entries.before;
            uint64_t first = MR_LONG_ATOMICS ? (base & kUnitMask) + uint64_t(units.before) : uint64_t(groups);
            if (rank < states.v[stream].capacity) {
                uint64_t offset = payload - graph;
                uint more = grid.z | (uint(offset) & (kGranuleBytes - 1u)) << 16 | uint(first >> 32) << 20;
                NewDynamicEntries(states.v[stream].table).v[rank] =
                    DynamicEntry(uint(offset >> kGranuleShift), grid.x | grid.y << 16, more, uint(first));
            } else {
                mr_note(kErrorPayloadCount, 1u, 1u);
            }
            waiting = false;
        }
    }
}

// How many of up to `groups` workgroups' worst case is free in the region and the entry quota of a level where `reserved` is
// taken.
uint mr_free_groups(const LevelState level, const uint64_t reserved, const uint granules, const uint entries,
                    const uint groups)
{
    uint fitting = groups;
    if (granules > 0u) {
        uint64_t taken = min(reserved & kReservedMask, uint64_t(level.size));
        fitting = min(fitting, (level.size - uint(taken)) / granules);
    }
    if (entries > 0u)
        fitting = min(fitting, (level.entryQuota - min(level.entryQuota, uint(reserved >> kReservedBits))) / entries);
    return fitting;
}

// Adds to a word that stays within `most`, or not at all. Of several that try, one succeeds each time, so nobody waits for
// who has stopped.
bool mr_raise(Words word, const uint amount, const uint most)
{
    uint seen = atomicAdd(word.v[0], 0u);
    while (amount > 0u) {
        if (seen > most || amount > most - seen)
            return false;
        uint before = atomicCompSwap(word.v[0], seen, seen + amount);
        if (before == seen)
            return true;
        seen = before;
    }
    return true;
}

// LevelState::reservedGranules; the entries are behind it.
Words mr_reserved_words(const uint64_t graph, const uint level)
{
    return Words(MR_HEADER(graph).levelStates + uint64_t(level * kLevelStateBytes + kReservedGranulesOffset));
}

// Without 64-bit atomics. Who has the granules finds the entries taken only by others who have both. So of all that try to
// reserve in an empty region, one gets what it asks for, as with one atomic for both.
bool mr_reserve_words(const uint64_t graph, const uint level, const LevelState state, const uint granules,
                      const uint entries)
{
    Words words = mr_reserved_words(graph, level);
    if (!mr_raise(words, granules, state.size))
        return false;
    if (mr_raise(Words(uint64_t(words) + uint64_t(4)), entries, state.entryQuota))
        return true;
    atomicAdd(words.v[0], 0u - granules);
    return false;
}

// What is taken of a level, as LevelState::reserved has it.
uint64_t mr_look_at_words(const uint64_t graph, const uint level)
{
    Words words = mr_reserved_words(graph, level);
    return uint64_t(atomicAdd(words.v[0], 0u)) | uint64_t(atomicAdd(words.v[1], 0u)) << kReservedBits;
}

// Reserves so much of the region and the entry quota of `level`, or nothing.
bool mr_reserve_exactly(const uint64_t graph, const uint level, const uint64_t granules, const uint64_t entries)
{
    if (granules == uint64_t(0) && entries == uint64_t(0))
        return true;
    LevelStates levels = LevelStates(MR_HEADER(graph).levelStates);
    if (!MR_LONG_ATOMICS)
        return granules <= uint64_t(levels.v[level].size) && entries <= uint64_t(levels.v[level].entryQuota) &&
               mr_reserve_words(graph, level, levels.v[level], uint(granules), uint(entries));
    uint64_t cost = (entries << kReservedBits) + granules;
    uint64_t before = atomicAdd(levels.v[level].reserved, cost);
    if ((before & kReservedMask) + granules <= uint64_t(levels.v[level].size) &&
        (before >> kReservedBits) + entries <= uint64_t(levels.v[level].entryQuota))
        return true;
    atomicAdd(levels.v[level].reserved, uint64_t(0) - cost);
    return false;
}

// What is taken of a level now.
uint64_t mr_look_at_reserved(const uint64_t graph, const uint level)
{
    return MR_LONG_ATOMICS ? atomicAdd(LevelStates(MR_HEADER(graph).levelStates).v[level].reserved, uint64_t(0))
                           : mr_look_at_words(graph, level);
}

// Reserves the worst case of up to `groups` > 0 workgroups. Returns how many fit; what they do not use goes back through
// mr_return_reservation(). Never asks for more than an empty region has: whoever adds first to one gets it, so every sweep
// makes progress. Others may fail on additions that are being taken back. So nobody adds before it has seen room: each
// addition that fails makes others fail and stop, until few are left to do all the work (H100: 25 us of it took W3 up to
// 6 ms). Who sees none looks again a few times, since much of what is reserved goes back soon; then it stops, and its
// units wait. (Compare and swap, which never adds what does not fit, succeeds once in a round trip to memory, however many
// try: 121 ms where this takes 1.5.)
uint mr_reserve(const uint64_t graph, const uint level, const uint granules, const uint entries, const uint groups)
{
    const uint kLooks = 4u;
    if (granules == 0u && entries == 0u)
        return groups;
    LevelState state = LevelStates(MR_HEADER(graph).levelStates).v[level];
    // No more than a fair share of what all that run at this level have, so that nobody is turned away while there is
    // room: who stops does not come back in this sweep, and the others would go on with most of the device idle.
    uint room = mr_free_groups(state, uint64_t(0), granules, entries, ~0u);
    uint most = min(groups, room > state.groups ? room / max(state.groups, 1u) : min(room, 1u));
    for (uint i = 0u; i < kLooks && most > 0u; ++i) {
        uint wanted = mr_free_groups(state, mr_look_at_reserved(graph, level), granules, entries, most);
        if (wanted > 0u && mr_reserve_exactly(graph, level, uint64_t(granules) * uint64_t(wanted),
                                              uint64_t(entries) * uint64_t(wanted)))
            return wanted;
    }
    return 0u;
}

void mr_return_reservation(const uint64_t graph, const uint level, const uint64_t granules, const uint64_t entries)
{
    if (granules == uint64_t(0) && entries == uint64_t(0))
        return;
    if (MR_LONG_ATOMICS) {
        atomicAdd(LevelStates(MR_HEADER(graph).levelStates).v[level].reserved,
                  uint64_t(0) - ((entries << kReservedBits) + granules));
    } else {
        // Who has the entries has the granules.
        Words words = mr_reserved_words(graph, level);
        atomicAdd(words.v[1], 0u - uint(entries));
        atomicAdd(words.v[0], 0u - uint(granules));
    }
}

#endif
