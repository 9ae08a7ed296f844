// SPDX-License-Identifier: Apache-2.0
#include "graph/plan.h"

#include <algorithm>
#include <cassert>

#include "graph/budgets.h"
#include "graph/saturating.h"
#include "graph/work.h"

namespace millrace::graph {
namespace {

constexpr uint64_t kGranularityBytes = 64 << 10;
// A minimum of one workgroup a level would make small graphs crawl, so they ask for some more where it costs little.
constexpr uint64_t kCheapBytes = 1 << 20;
constexpr uint64_t kCheapGroups = 16;

constexpr uint64_t kMaxEntryShare = 16;
// LevelState::reserved has room for 32 times as many, for workgroups that add before they look.
constexpr uint64_t kMaxQuota = kMaxStreamEntries / 2;

constexpr uint64_t kRegionAlignment = 128 / abi::kGranuleBytes;  // granules; a region begins at a cache line

// What StreamState::counter can count besides entries.
constexpr uint64_t kMaxUnits = (uint64_t(1) << abi::kUnitBits) - 1;
constexpr uint64_t kMaxIndexedUnits = UINT32_MAX;  // IndexedEntry::first

uint64_t entryBytes(const Stream& stream)
{
    return stream.kind == abi::kStreamIndexed ? sizeof(abi::IndexedEntry) : sizeof(abi::DynamicEntry);
}

uint64_t tableGranules(const Stream& stream, uint64_t capacity)
{
    return divideUp(saturatingMultiply(capacity, entryBytes(stream)), abi::kGranuleBytes);
}

// Sizes of everything behind the fixed part.
struct Division {
    std::vector<uint64_t> regions;     // per level, granules
    std::vector<uint64_t> spare;       // likewise, behind each region, for what is left to others; none if empty
    std::vector<uint64_t> quotas;      // per level, entries
    std::vector<uint64_t> capacities;  // per stream, entries
};

// Sizes for the worst case of the whole dispatch, if the counters can count it.
std::optional<Division> completeDivision(const Graph& graph, const Work& work)
{
    Division division;
    for (const Work::OfLevel& level : work.levels) {
        if (level.granules > UINT32_MAX)
            return std::nullopt;
        division.regions.push_back(roundUp(level.granules, kRegionAlignment));
        division.quotas.push_back(std::min(level.reservedEntries, kMaxStreamEntries));  // nobody asks
    }
    for (const Stream& stream : graph.streams) {
        const Work::OfQueue& queue = work.queues[stream.queue];
        const bool isIndexed = stream.kind == abi::kStreamIndexed;
        const uint64_t units = isIndexed ? queue.payloads : work.groups[stream.slots.front()];
        const uint64_t entries = isIndexed ? std::min(queue.runs, queue.payloads) : queue.payloads;
        if (entries > kMaxStreamEntries || units > (isIndexed ? kMaxIndexedUnits : kMaxUnits))
            return std::nullopt;
        division.capacities.push_back(entries);
    }
    for (size_t s = 0; s < graph.slots.size(); ++s) {
        const Slot& slot = graph.slots[s];
        const Node& node = graph.nodes[slot.node];
        if (node.declared.mode != LaunchMode::Dynamic && node.decided.depthFirst == 0 &&
            std::max(work.groups[s], saturatingMultiply(work.queues[slot.queue].payloads, node.decided.parts)) >
                kMaxFittingUnits)
            return std::nullopt;
    }
    return division;
}

uint64_t totalGranules(const Graph& graph, const Division& division)
{
    uint64_t total = 0;
    for (uint64_t region : division.regions)
        total += region;
    for (size_t s = 0; s < graph.streams.size(); ++s)
        total += tableGranules(graph.streams[s], division.capacities[s]);
    return total;
}

// Gives `granules` that the dispatch does not need to levels that leave payloads to others, and their streams.
void spend(const Graph& graph, const Work& work, uint64_t granules, Division& division)
{
    constexpr uint64_t kMostGranules = (64 << 20) / abi::kGranuleBytes;
    const auto levels = std::ranges::count_if(work.levels, &Work::OfLevel::leaves);
    if (levels == 0)
        return;
    const uint64_t share = std::min(granules / static_cast<uint64_t>(levels), kMostGranules);
    division.spare.assign(work.levels.size(), 0);
    for (size_t l = 0; l < work.levels.size(); ++l) {
        if (!work.levels[l].leaves)
            continue;
        std::vector<uint32_t> streams;
        for (uint32_t q = 0; q < graph.queues.size(); ++q)
            if (work.queues[q].isLeft && work.queues[q].sources.test(l))
                streams.push_back(graph.queues[q].streams.front());
        // A quarter for entries, which runs of four payloads of 8 bytes take.
        const uint64_t entriesInGranule = abi::kGranuleBytes / sizeof(abi::IndexedEntry);
        division.quotas[l] = share / 4 / streams.size() * entriesInGranule;
        division.spare[l] = (share - share / 4) / kRegionAlignment * kRegionAlignment;
        for (const uint32_t stream : streams)
            division.capacities[stream] += division.quotas[l];
    }
}

// Divides memory that is too small for the whole dispatch. Every level gets room for the same number of its worst
// workgroups, so that bytes and entries run out together; a level that needs less leaves the rest to the others. Room
// is a number of workgroups in 256ths.
class Shares {
public:
    static constexpr uint64_t kOneGroup = 256;

    // `granules`: at most so many will be divided.
    Shares(const Graph& graph, const Work& work, uint64_t granules)
        : m_graph(graph), m_work(work), m_mostBytes(granules * abi::kGranuleBytes), m_levels(graph.levels.size())
    {
        for (size_t q = 0; q < graph.queues.size(); ++q) {
            const LevelSet& sources = work.queues[q].sources;
            if (sources.none())
                continue;
            uint64_t bytes = 0;
            uint64_t mostEntries = kMaxStreamEntries;
            for (uint32_t s : graph.queues[q].streams) {
                bytes += entryBytes(graph.streams[s]);
                mostEntries = std::min(mostEntries, maxCapacity(graph.streams[s]));
                ++m_tableCount;
            }
            for (size_t l = 0; l < m_levels.size(); ++l) {
                if (!sources.test(l))
                    continue;
                m_levels[l].bytesPerEntry += bytes;
                m_levels[l].mostEntries = std::min(m_levels[l].mostEntries, mostEntries / sources.count());
            }
        }
        // A workgroup gives back the bytes that it reserved and did not use, but keeps its entries. So entries run out
        // first, and since they mostly are cheap, a level gets more of them, up to what its payloads take.
        for (size_t l = 0; l < m_levels.size(); ++l) {
            const uint64_t entries = work.levels[l].entriesPerGroup * m_levels[l].bytesPerEntry;
            const uint64_t payloads = work.levels[l].granulesPerGroup * uint64_t(abi::kGranuleBytes);
            m_levels[l].entryShare = std::clamp<uint64_t>(payloads / std::max<uint64_t>(entries, 1), 1, kMaxEntryShare);
        }
    }

    // Granules that all regions and tables take together; at most a granule per table too many.
    uint64_t cost(uint64_t room) const
    {
        uint64_t granules = m_tableCount;
        uint64_t bytes = 0;
        for (size_t l = 0; l < m_levels.size(); ++l) {
            granules = saturatingAdd(granules, region(l, room));
            bytes = saturatingAdd(bytes, saturatingMultiply(quota(l, room), m_levels[l].bytesPerEntry));
        }
        return saturatingAdd(granules, divideUp(bytes, abi::kGranuleBytes));
    }

    // The largest room whose cost is not above `granules`, at least one workgroup.
    uint64_t largestRoom(uint64_t granules) const
    {
        uint64_t low = kOneGroup;
        uint64_t high = uint64_t(1) << 48;
        while (high - low > 1) {
            const uint64_t middle = low + (high - low) / 2;
            (cost(middle) <= granules ? low : high) = middle;
        }
        return low;
    }

    Division divide(uint64_t room) const
    {
        Division division;
        for (size_t l = 0; l < m_levels.size(); ++l) {
            division.regions.push_back(region(l, room));
            division.quotas.push_back(quota(l, room));
        }
        for (const Stream& stream : m_graph.streams) {
            const LevelSet& sources = m_work.queues[stream.queue].sources;
            uint64_t capacity = 0;
            for (size_t l = 0; l < m_levels.size(); ++l)
                capacity += sources.test(l) ? division.quotas[l] : 0;
            division.capacities.push_back(capacity);
        }
        return division;
    }

private:
    struct OfLevel {
        uint64_t bytesPerEntry = 0;        // of all tables, for each entry of the level's quota
        uint64_t mostEntries = kMaxQuota;  // that its counter and those of the streams it feeds can bear
        uint64_t entryShare = 1;           // workgroups by entries for each workgroup by bytes, beyond the first
    };

    // So many entries cannot overflow the counters. Above a minimum that would (some 2^40 workgroups in one sweep, ten
    // minutes of starting workgroups on the fastest device) the minimum wins.
    uint64_t maxCapacity(const Stream& stream) const
    {
        if (stream.kind == abi::kStreamDynamic) {
            const uint32_t most = maxGroupsPerPayload(m_graph.nodes[m_graph.slots[stream.slots.front()].node].declared);
            return std::min(kMaxStreamEntries, kMaxUnits / std::max(most, 1u));
        }
        // Payloads that have a size cannot be more than the memory holds, however long the runs.
        const uint32_t stride = m_graph.queues[stream.queue].stride;
        if (stride > 0 && m_mostBytes / stride <= kMaxIndexedUnits)
            return kMaxStreamEntries;
        return std::min(kMaxStreamEntries,
                        kMaxIndexedUnits / std::max<uint64_t>(m_work.queues[stream.queue].longestRun, 1));
    }

    static uint64_t scale(uint64_t perGroup, uint64_t room) { return saturatingMultiply(perGroup, room) / kOneGroup; }

    uint64_t region(size_t level, uint64_t room) const
    {
        const Work::OfLevel& work = m_work.levels[level];
        const uint64_t wanted = std::min(scale(work.granulesPerGroup, room), work.reservedGranules);
        return roundUp(std::min<uint64_t>(std::max<uint64_t>(wanted, work.granulesPerGroup), uint64_t(1) << 40),
                       kRegionAlignment);
    }

    uint64_t quota(size_t level, uint64_t room) const
    {
        const Work::OfLevel& work = m_work.levels[level];
        const uint64_t entryRoom =
            saturatingAdd(kOneGroup, saturatingMultiply(room - kOneGroup, m_levels[level].entryShare));
        const uint64_t wanted = std::min(scale(work.entriesPerGroup, entryRoom), work.reservedEntries);
        return std::max<uint64_t>(std::min(wanted, m_levels[level].mostEntries), work.entriesPerGroup);
    }

    const Graph& m_graph;
    const Work& m_work;
    uint64_t m_mostBytes;
    std::vector<OfLevel> m_levels;
    uint64_t m_tableCount = 0;
};

// The memory of each slot inside the region of its level. Requires: plan.levels.
void placeSlots(const Graph& graph, const Work& work, DispatchPlan& plan)
{
    uint32_t level = 0;
    uint64_t at = 0;
    for (uint32_t s : plan.slots) {
        const Slot& slot = graph.slots[s];
        if (slot.level != level) {
            level = slot.level;
            at = plan.levels[level].begin;
        }
        plan.bases.push_back(static_cast<uint32_t>(at));
        at += work.granules[s];
    }
}

// Where slots have their memory by number, what is left to others goes behind it.
void openSpare(const Division& division, DispatchPlan& plan)
{
    for (size_t l = 0; l < division.spare.size(); ++l) {
        if (division.spare[l] == 0)
            continue;
        plan.levels[l].begin += static_cast<uint32_t>(division.regions[l]);
        plan.levels[l].size = static_cast<uint32_t>(division.spare[l]);
    }
}

void layOut(const Graph& graph, const Division& division, uint64_t begin, DispatchPlan& plan)
{
    uint64_t at = begin;
    for (size_t l = 0; l < division.regions.size(); ++l) {
        plan.levels.push_back({.begin = static_cast<uint32_t>(at),
                               .size = static_cast<uint32_t>(division.regions[l]),
                               .entryQuota = static_cast<uint32_t>(division.quotas[l])});
        at += division.regions[l] + (division.spare.empty() ? 0 : division.spare[l]);
    }
    for (size_t s = 0; s < division.capacities.size(); ++s) {
        plan.streams.push_back(
            {.table = static_cast<uint32_t>(at), .capacity = static_cast<uint32_t>(division.capacities[s])});
        at += tableGranules(graph.streams[s], division.capacities[s]);
    }
}

}  // namespace

ScratchSizes scratchSizes(const Graph& graph, uint64_t wantedMaxBytes)
{
    const Work work = worstCase(graph, std::nullopt);
    const Shares shares(graph, work, UINT32_MAX);
    uint64_t granules = shares.cost(Shares::kOneGroup);
    for (uint64_t groups = 2; groups <= kCheapGroups; ++groups) {
        const uint64_t more = shares.cost(groups * Shares::kOneGroup);
        if (more > kCheapBytes / abi::kGranuleBytes)
            break;
        granules = more;
    }
    ScratchSizes sizes;
    sizes.granularityBytes = kGranularityBytes;
    sizes.minBytes = fixedBytes(graph) + granules * abi::kGranuleBytes;
    // More than locations can reach would be wasted.
    const uint64_t most = std::min(wantedMaxBytes, uint64_t(UINT32_MAX) * abi::kGranuleBytes);
    const uint64_t steps = most > sizes.minBytes ? (most - sizes.minBytes) / kGranularityBytes : 0;
    sizes.maxBytes = sizes.minBytes + steps * kGranularityBytes;
    return sizes;
}

DispatchPlan plan(const Graph& graph, uint64_t scratchBytes, std::optional<std::span<const KnownInput>> inputs)
{
    const uint64_t begin = fixedBytes(graph) / abi::kGranuleBytes;
    const uint64_t end = std::min<uint64_t>(scratchBytes / abi::kGranuleBytes, UINT32_MAX);
    assert(end >= begin);
    const uint64_t available = end - begin;

    const Work work = worstCase(graph, inputs);
    DispatchPlan plan;
    plan.inputs.resize(graph.slots.size());
    for (const Level& level : graph.levels) {
        for (uint32_t slot : level.slots) {
            if (work.groups[slot] == 0)
                continue;
            plan.slots.push_back(slot);
            plan.maxGroups.push_back(work.groups[slot]);
            const Work::OfQueue& queue = work.queues[graph.slots[slot].queue];
            const bool fromApi = queue.sources.count() == 1 && queue.sources.test(0);
            const uint64_t payloads = queue.isLeft ? kUnlimited : queue.payloads;
            plan.inputs[slot] = {payloads, fromApi && payloads != kUnlimited};
        }
    }
    std::optional<Division> division = completeDivision(graph, work);
    plan.fits = division && totalGranules(graph, *division) <= available;
    if (plan.fits) {
        spend(graph, work, available - totalGranules(graph, *division), *division);
    } else {
        const Shares shares(graph, work, available);
        assert(shares.cost(Shares::kOneGroup) <= available);
        division = shares.divide(shares.largestRoom(available));
    }
    layOut(graph, *division, begin, plan);
    if (plan.fits) {
        placeSlots(graph, work, plan);
        openSpare(*division, plan);
    }
    return plan;
}

std::optional<BoundedPlan> planBounded(const Graph& graph, uint64_t scratchBytes)
{
    // Four times as many groups, from each of 256 invocations, add up in 32 bits (device/count_inputs.glsl).
    constexpr uint32_t kMostPayloads = 1 << 21;
    constexpr uint32_t kLeastPayloads = 16;
    constexpr uint32_t kMostGroupsPerPayload = 4;
    uint32_t groupsPerPayload = kMostGroupsPerPayload;
    for (uint32_t payloads = kMostPayloads; payloads >= kLeastPayloads;) {
        const InputBound bound{payloads, payloads * groupsPerPayload};
        std::vector<KnownInput> inputs;
        for (uint32_t node = 0; node < graph.apiQueues.size(); ++node)
            if (graph.apiQueues[node] != abi::kNoQueue)
                inputs.push_back({node, bound.payloads, bound.groups, bound.payloads});
        DispatchPlan plan = graph::plan(graph, scratchBytes, inputs);
        if (plan.fits)
            return BoundedPlan{std::move(plan), bound};
        // Payloads with a workgroup each before half as many with four.
        payloads = groupsPerPayload == 1 ? payloads / 2 : payloads;
        groupsPerPayload = groupsPerPayload == 1 ? kMostGroupsPerPayload : 1;
    }
    return std::nullopt;
}

}  // namespace millrace::graph
