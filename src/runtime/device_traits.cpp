// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_traits.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "abi/graph_memory.h"
#include "graph/graph.h"

namespace millrace::runtime {

namespace {

using enum TraitOrigin;

constexpr uint32_t kLeastScratchMib = 256;
// More than this takes long to allocate: the memory of four random graphs 7.6 s of up to 4 GiB each, 1.1 s of 256 MiB
// (H200, NVIDIA 580.159, driver and clearing).
constexpr uint32_t kMostScratchMib = 1024;
constexpr uint64_t kScratchShare = 32;  // of the device's memory

// A workgroup costs a processor far more than a look for work, so as few as keep its threads busy: on two cores, graphs
// with little memory take half the time with 4 that they take with 16.
void fillSerial(DeviceTraits& traits, uint32_t threads)
{
    traits.gridInvocations = 1;
    traits.gridMinGroups = 2 * threads;
    traits.gridMaxGroups = 2 * threads;
    traits.gridShareGroups = threads;
    traits.staticInvocations = Residency::kSmall;
    // To begin costs more than most code: W1 takes 4.6 ms with one row, 3.3 with 16 and 2.0 with 64, W10, which has
    // loops, 0.75, 0.52 and 0.49.
    traits.leafRows = 64;
    traits.loopingLeafRows = 64;
    traits.keptBytes = 4096;  // all: workgroup memory is memory there
    traits.spinUs = 1;        // who looks takes the time of who works
}

// What the parts of a GPU's grid have in common wherever they were measured (H200: 132 multiprocessors of 2048
// invocations and 32 workgroups). Too small a grid is a disaster (12 times slower at 132 x 64), too large costs little
// (3.6 against 3.2 us a level at twice the occupancy).
void fillParallel(DeviceTraits& traits, uint32_t invocations, uint32_t groups)
{
    traits.gridInvocations = invocations;
    traits.gridMaxGroups = groups;
    // Larger workgroups than this are rare, and wait for each other: two are there for each place.
    traits.gridMinGroups = std::max(invocations / 512, 1u);
    traits.gridShareGroups = std::max(groups / 32, 1u);
}

DeviceTraits byType(const DeviceFacts& facts)
{
    // Packed workgroups of 32, 128 and 256 were no faster on the whole, nor were dynamic grids with 256, whose
    // workgroups' places are searched for one by one. A wait costs about as much as a small sweep.
    // Chunks and layouts are the H200's (docs/experiments.md); on lavapipe they were not found to matter. There, where
    // invocations take different times, those that are done make room for the next sooner with one row each.
    DeviceTraits traits{.packedInvocations = 64,
                        .dynamicInvocations = 64,
                        .sendingInvocations = 64,
                        .chunkGroups = 16,
                        .silentChunkGroups = 128,
                        .orderedBytes = 64,
                        .leafRows = 16,
                        .loopingLeafRows = 1,
                        .keptBytes = 1024,
                        .firstSweeps = 1,
                        .sweepsPerWait = 16,
                        .sweepGroups = graph::kMaxFittingUnits - 1,
                        .spinUs = 2000};
    switch (facts.type) {
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            break;  // byThreads()
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            fillParallel(traits, 32 * 2048, 2048);
            traits.gridShareGroups = 32;
            traits.staticInvocations = Residency::kSmall;
            break;
        default:
            fillParallel(traits, 132 * 2048, 132 * 32);
            // Classification, which is all in one node, takes 50 us with 256, 56 with 128 and 67 with 64.
            traits.staticInvocations = Residency::kLarge;
            break;
    }
    return traits;
}

DeviceTraits byThreads(const DeviceFacts& facts)
{
    DeviceTraits traits;
    if (facts.type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        fillSerial(traits, std::max(facts.threads, 1u));
    return traits;
}

DeviceTraits byResidency(const Residency& residency)
{
    DeviceTraits traits;
    // Where a place takes a workgroup of any size, its invocations run one after the other: a processor's threads.
    if (2 * residency.large >= residency.small) {
        fillSerial(traits, std::max(residency.small, residency.large));
        return traits;
    }
    const uint32_t large = residency.large * Residency::kLarge;
    const uint32_t invocations = std::max(residency.small * Residency::kSmall, large);
    fillParallel(traits, invocations, residency.small);
    // Large ones where they leave (next to) nothing idle.
    const bool fills = large >= invocations - invocations / 8;
    traits.staticInvocations = fills ? Residency::kLarge : Residency::kSmall;
    return traits;
}

// Memory that is the host's as well is the application's.
DeviceTraits byMemory(const DeviceFacts& facts)
{
    const uint64_t share = facts.hasOwnMemory ? (facts.localBytes / kScratchShare) >> 20 : 0;
    return {.maxScratchMib = static_cast<uint32_t>(std::clamp<uint64_t>(share, kLeastScratchMib, kMostScratchMib))};
}

DeviceTraits byFeatures(const DeviceFacts& facts)
{
    return {.integerBits = facts.integerBits,
            .atomicBits = facts.atomicBits,
            .subgroupOperations = facts.subgroupOperations};
}

// What of `from` is not 0.
void take(TraitChoice& choice, const DeviceTraits& from, TraitOrigin origin)
{
    for (size_t i = 0; i < kTraitCount; ++i) {
        const auto member = traitTable()[i].value;
        if (from.*member == 0)
            continue;
        choice.traits.*member = from.*member;
        choice.origins[i] = origin;
    }
}

void keepLimits(TraitChoice& choice, const DeviceFacts& facts)
{
    for (size_t i = 0; i < kTraitCount; ++i) {
        const Trait& trait = traitTable()[i];
        if (!trait.deviceMost)
            continue;
        const uint32_t limit = facts.*trait.deviceMost;
        const uint32_t most = trait.isPowerOfTwo ? std::bit_floor(std::max(limit, 1u)) : limit;
        uint32_t& value = choice.traits.*trait.value;
        if (value <= most)
            continue;
        if (choice.origins[i] == Setting)
            choice.problems.push_back(std::string(trait.hasOwnSetting ? "setting " : "setting traits: ") + trait.key +
                                      " is " + std::to_string(value) + ", and " + trait.whatHasMost + " at most " +
                                      std::to_string(limit) + " " + trait.unit + " on this device; using " +
                                      std::to_string(most));
        value = most;
    }
    // What has no longer integers has no atomics on them.
    choice.traits.atomicBits = std::min(choice.traits.atomicBits, choice.traits.integerBits);
}

}  // namespace

const std::array<Trait, kTraitCount>& traitTable()
{
    using T = DeviceTraits;
    using F = DeviceFacts;
    constexpr auto kGroup = &F::maxGroupInvocations;
    constexpr const char* kOfGroup = "a workgroup has";
    constexpr const char* kInvocations = "invocations";
    // 65535 workgroups are what every device takes in one dimension.
    static constexpr std::array<Trait, kTraitCount> kTable = {{
        {"grid_groups", &T::gridGroups, 1, 65535},
        {"mesh_index_kib", &T::meshIndexKib, 1, 1u << 20},
        {"grid_invocations", &T::gridInvocations, 1, 1u << 24},
        {"grid_min_groups", &T::gridMinGroups, 1, 65535},
        {"grid_max_groups", &T::gridMaxGroups, 1, 65535},
        {"grid_share_groups", &T::gridShareGroups, 1, 65535},
        {"packed_invocations", &T::packedInvocations, 32, 1024, kGroup, kOfGroup, kInvocations},
        {"static_invocations", &T::staticInvocations, 1, 1024, kGroup, kOfGroup, kInvocations},
        {"dynamic_invocations", &T::dynamicInvocations, 1, 1024, kGroup, kOfGroup, kInvocations},
        {"sending_invocations", &T::sendingInvocations, 1, 1024, kGroup, kOfGroup, kInvocations},
        {"chunk_groups", &T::chunkGroups, 1, graph::kMaxChunkGroups},
        {"silent_chunk_groups", &T::silentChunkGroups, 1, 1024},
        {"ordered_bytes", &T::orderedBytes, 1, graph::kMaxStride},
        {"leaf_rows", &T::leafRows, 1, 1024},
        {"looping_leaf_rows", &T::loopingLeafRows, 1, 1024},
        {"kept_bytes", &T::keptBytes, 1, 4096},
        {"first_sweeps", &T::firstSweeps, 1, 1024},
        {"sweeps_per_wait", &T::sweepsPerWait, 1, 1024},
        {"sweep_groups", &T::sweepGroups, 1, graph::kMaxFittingUnits - 1},
        {"spin_us", &T::spinUs, 1, 1000000},
        {"max_scratch_mib", &T::maxScratchMib, 1, UINT32_MAX, &F::mostBufferMib, "a buffer has", "MiB", false, true},
        {"integer_bits", &T::integerBits, 32, 64, &F::integerBits, "integers have", "bits"},
        {"atomic_bits", &T::atomicBits, 32, 64, &F::atomicBits, "atomics have", "bits"},
        {"subgroup_operations", &T::subgroupOperations, abi::kSubgroupNone, abi::kSubgroupShuffle,
         &F::subgroupOperations, "subgroups have", "of 1 (none), 2 (ballot), 4 (arithmetic as well), 8 (and shuffles)"},
    }};
    static_assert(kTable.back().value, "kTraitCount counts the rows");
    return kTable;
}

bool Trait::allows(uint32_t wanted) const
{
    return wanted >= least && wanted <= most && (!isPowerOfTwo || std::has_single_bit(wanted));
}

std::string Trait::range() const
{
    return std::string(isPowerOfTwo ? "a power of two " : "") + "from " + std::to_string(least) + " to " +
           std::to_string(most);
}

const char* nameOf(TraitOrigin origin)
{
    switch (origin) {
        case Type:
            return "device type";
        case Driver:
            return "driver";
        case Host:
            return "host threads";
        case Measured:
            return "measured";
        case Setting:
            return "setting";
    }
    return "";
}

bool isWorthMeasuring(const DeviceFacts& facts)
{
    return facts.type != VK_PHYSICAL_DEVICE_TYPE_CPU;
}

TraitChoice chooseTraits(const DeviceFacts& facts, const DeviceTraits& settings)
{
    TraitChoice choice;
    take(choice, byType(facts), Type);
    take(choice, byMemory(facts), Driver);
    take(choice, byFeatures(facts), Driver);
    take(choice, byThreads(facts), Host);
    if (facts.residency)
        take(choice, byResidency(*facts.residency), Measured);
    take(choice, settings, Setting);
    keepLimits(choice, facts);
    return choice;
}

std::vector<TraitText> traitTexts(const TraitChoice& choice)
{
    std::vector<TraitText> texts;
    for (size_t i = 0; i < kTraitCount; ++i) {
        const Trait& trait = traitTable()[i];
        const uint32_t value = choice.traits.*trait.value;
        if (value > 0)
            texts.push_back({trait.key, value, nameOf(choice.origins[i])});
    }
    return texts;
}

uint32_t fullGrid(const DeviceTraits& traits, uint32_t invocationsPerGroup, size_t nodes, size_t nodesOfLevel)
{
    if (traits.gridGroups > 0)
        return traits.gridGroups;
    const uint32_t wanted = traits.gridInvocations / std::max(invocationsPerGroup, 1u);
    // Settings may have the least above the most.
    const uint32_t full = std::max(std::min(wanted, traits.gridMaxGroups), traits.gridMinGroups);
    if (nodes >= nodesOfLevel)
        return full;
    // Many nodes have about their part of what a level has to do. A single one may have anything between its part and
    // all of it: the mean of these by their ratio.
    const double all = static_cast<double>(nodesOfLevel);
    const double share = std::max(static_cast<double>(nodes) / all, 1 / std::sqrt(all));
    return std::max(static_cast<uint32_t>(full * share), std::min(traits.gridShareGroups, full));
}

}  // namespace millrace::runtime
