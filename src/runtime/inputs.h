// SPDX-License-Identifier: Apache-2.0
// The inputs of a dispatch that the host gives: what they are worth to the plan, and their one copy, for the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/plan.h"
#include "graph/saturating.h"
#include "runtime/runtime.h"

namespace millrace::runtime {

// One VkDispatchGraphInfoAMDX. The payloads are the application's, which are there as long as it waits for the command.
struct HostInfo {
    uint32_t node = 0;  // API node index
    uint32_t payloadCount = 0;
    const std::byte* payloads = nullptr;
    uint64_t stride = 0;
    uint32_t payloadBytes = 0;  // that the node declares; 0 if there is no such entry node
};

struct HostInputs {
    std::vector<HostInfo> infos;
    uint64_t chunks = 0;  // of feed.comp
};

// Where payloads of the infos go in memory for the device.
class PayloadPlaces {
public:
    // Those of the info with this number, `stride` bytes apart; returns where the first begins, which is a granule.
    // What is between and behind them is 0.
    uint64_t add(const HostInputs& inputs, size_t info, uint32_t stride);
    // Those of another one right behind the last.
    void append(const HostInputs& inputs, size_t info, uint32_t stride);
    uint64_t bytes() const { return graph::roundUp(m_end, abi::kGranuleBytes); }  // whole granules
    // All of them, to `bytes()` bytes at `to`.
    void write(const HostInputs& inputs, std::byte* to) const;

private:
    struct Place {
        size_t info;
        uint32_t stride;
        uint64_t begin;
    };
    std::vector<Place> m_places;
    uint64_t m_end = 0;
};

struct Grid {
    uint32_t x = 1, y = 1, z = 1;
    uint64_t groups() const { return uint64_t{x} * y * z; }
};

// The grid in a payload of a dynamic stream; none if it is above the limits, and not empty.
std::optional<Grid> readGrid(const abi::StreamInfo& stream, const std::byte* payload);

// Bytes that the payloads take on the device at least, or more than `most` if it is more than that: a dispatch may name
// the same payload millions of times.
uint64_t hostInputBytes(const graph::Graph& graph, const VkDispatchGraphCountInfoAMDX& countInfo, uint64_t most);

// Infos that name no node keep their count and no payloads.
HostInputs readHostInputs(const graph::Graph& graph, const VkDispatchGraphCountInfoAMDX& countInfo);

// For the plan. Adds up the grids of payloads that have some.
std::vector<graph::KnownInput> knownInputs(const graph::Graph& graph, const HostInputs& inputs);

}  // namespace millrace::runtime
