// SPDX-License-Identifier: Apache-2.0
// The choices that depend on the device, in one table, and where each comes from. No Vulkan calls.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace millrace::runtime {

// Workgroups are ours. Where they are settings, 0 leaves the choice to the device; chosen, only the first two may be 0.
struct DeviceTraits {
    // Workgroups of a direct dispatch that fills the device; 0: gridInvocations by their size. Workgroups loop over the
    // work, so fewer leave the device idle and more only cost their launch (docs/experiments.md).
    uint32_t gridGroups = 0;
    // Indices of draws with mesh shaders of the layer's, in KiB, where only the device knows how many there are. 0: as
    // many as command buffers before had, and a quarter (src/layer/mesh).
    uint32_t meshIndexKib = 0;
    // Invocations of a direct dispatch that fills the device,
    uint32_t gridInvocations = 0;
    // but workgroups at least,
    uint32_t gridMinGroups = 0;
    // and at most.
    uint32_t gridMaxGroups = 0;
    // Of a node that shares its level with many others, workgroups at least.
    uint32_t gridShareGroups = 0;
    // Invocations of a workgroup that runs single-invocation nodes (nodes::Target::packWidth).
    uint32_t packedInvocations = 0;
    // Of one that runs several workgroups of a node with a static grid (nodes::Target::staticInvocations),
    uint32_t staticInvocations = 0;
    // with a grid that comes with the payload (dynamicInvocations).
    uint32_t dynamicInvocations = 0;
    // Of one that runs several small workgroups of a node that sends (sendingInvocations).
    uint32_t sendingInvocations = 0;
    // Workgroups at most that one of ours takes at a time (nodes::Target::chunkGroups),
    uint32_t chunkGroups = 0;
    // of a node that sends nothing and whose grids come with the payload (silentChunkGroups).
    uint32_t silentChunkGroups = 0;
    // What an invocation sends of more bytes lies side by side with its neighbours' (orderedBytes).
    uint32_t orderedBytes = 0;
    // Rows of a grid at most that a workgroup of a leaf dispatch does one after the other
    // (nodes::Target::leafRows),
    uint32_t leafRows = 0;
    // where the code has loops (loopingLeafRows).
    uint32_t loopingLeafRows = 0;
    // Of payloads that a workgroup keeps in workgroup memory at most (nodes::Target::keptBytes).
    uint32_t keptBytes = 0;
    // Sweeps of a graph that is continued before the first look at what they have left.
    uint32_t firstSweeps = 0;
    // Sweeps at most between two looks at what is left of a graph.
    uint32_t sweepsPerWait = 0;
    // Workgroups of the node at most that a sweep runs of a slot that sends nothing, where not everything fits.
    uint32_t sweepGroups = 0;
    // Microseconds that a queue's thread looks again and again whether a graph is complete before it goes to sleep.
    uint32_t spinUs = 0;
    // What maxSize aims at, in MiB. Applications mostly allocate it, and a graph that fits needs no reservations and no
    // look at what is left: two to three times faster where it has millions of payloads.
    uint32_t maxScratchMib = 0;
    // Of integers in our code, and in what becomes of nodes that have no longer ones themselves; of atomics on counters
    // that belong together. 64 or 32.
    uint32_t integerBits = 0;
    uint32_t atomicBits = 0;
    // Of a subgroup, that our code may use: abi::kSubgroup*.
    uint32_t subgroupOperations = 0;
};

struct DeviceFacts;

// What a trait is called in settings and reports, and what it may be.
struct Trait {
    const char* key;
    uint32_t DeviceTraits::*value;
    uint32_t least;
    uint32_t most;
    uint32_t DeviceFacts::*deviceMost = nullptr;  // the device has a limit as well
    const char* whatHasMost = nullptr;            // of such: "a workgroup has at most 128 invocations"
    const char* unit = nullptr;
    bool isPowerOfTwo = deviceMost != nullptr;
    bool hasOwnSetting = false;  // named as the trait; others are elements of the setting "traits"

    bool allows(uint32_t wanted) const;
    std::string range() const;  // "a power of two from 32 to 1024"
};

inline constexpr size_t kTraitCount = 24;
const std::array<Trait, kTraitCount>& traitTable();

enum class TraitOrigin {
    Type,      // the type of the device
    Driver,    // what the driver says of it
    Host,      // the host's threads, which a processor runs on
    Measured,  // at its first use
    Setting,
};
const char* nameOf(TraitOrigin origin);  // "device type", "driver", "host threads", "measured", "setting"

// How many workgroups run at once that use next to no registers and no memory, by their size.
struct Residency {
    static constexpr uint32_t kSmall = 64;
    static constexpr uint32_t kLarge = 256;
    uint32_t small = 0;  // of kSmall invocations
    uint32_t large = 0;  // of kLarge; none where the device has no such workgroups
};

// What is known of a device.
struct DeviceFacts {
    VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
    uint32_t threads = 1;                // of the host
    uint32_t maxGroupInvocations = 128;  // in the first dimension
    uint32_t integerBits = 64;           // that shaders may use
    uint32_t atomicBits = 64;            // likewise, on buffers
    uint32_t subgroupOperations = 8;     // likewise: abi::kSubgroup*
    uint32_t mostBufferMib = 1024;       // that a buffer and its memory may have
    uint64_t localBytes = 0;             // the largest heap of device-local memory
    bool hasOwnMemory = false;           // apart from the host's
    std::optional<Residency> residency;  // if it was measured
};

struct TraitChoice {
    DeviceTraits traits;
    std::array<TraitOrigin, kTraitCount> origins{};  // as traitTable()
    std::vector<std::string> problems;               // with settings, on this device
};

// True if measuring says more than is known. Not of processors: their workgroups have the host's threads, which need no
// measuring. On two cores that others used as well, 13 of 22 measurements found a thread asleep, and the driver
// compiled the shaders for 80 to 290 ms (lavapipe, Mesa 25.0.7).
bool isWorthMeasuring(const DeviceFacts& facts);

// A setting that is not 0 wins, then what was measured, then the type.
TraitChoice chooseTraits(const DeviceFacts& facts, const DeviceTraits& settings);

// A trait in words, for logs and reports.
struct TraitText {
    std::string key;
    uint32_t value;
    std::string origin;
};
std::vector<TraitText> traitTexts(const TraitChoice& choice);

// Workgroups of `invocationsPerGroup` that a full dispatch starts. It may be for `nodes` of the `nodesOfLevel` that run
// at the same time, of which nobody knows how much each has to do.
uint32_t fullGrid(const DeviceTraits& traits, uint32_t invocationsPerGroup, size_t nodes = 1, size_t nodesOfLevel = 1);

}  // namespace millrace::runtime
