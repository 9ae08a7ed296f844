// SPDX-License-Identifier: Apache-2.0
// The inputs of a dispatch that the host gives: what they are worth to the plan, and their copy for the feed shader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/plan.h"
#include "runtime/runtime.h"

namespace millrace::runtime {

struct HostInputs {
    std::vector<graph::KnownInput> known;
    std::vector<abi::DispatchInfo> infos;  // payload addresses relative to `payloads`
    std::vector<std::byte> payloads;       // every info's payloads, tightly at a multiple of 4
    uint64_t chunks = 0;                   // of feed.comp
};

struct Grid {
    uint32_t x = 1, y = 1, z = 1;
    uint64_t groups() const { return uint64_t{x} * y * z; }
};

// The grid in a payload of a dynamic stream; none if it is above the limits, and not empty.
std::optional<Grid> readGrid(const abi::StreamInfo& stream, const std::byte* payload);

// Bytes of payloads that copyHostInputs() copies, or more than `most` if it is more than that: a dispatch may name the
// same payload millions of times.
uint64_t hostInputBytes(const graph::Graph& graph, const VkDispatchGraphCountInfoAMDX& countInfo, uint64_t most);

// Copies everything; no pointer of the application is kept. Infos that name no node keep their count and no payloads.
HostInputs copyHostInputs(const graph::Graph& graph, const VkDispatchGraphCountInfoAMDX& countInfo);

// Puts the payloads of an info `stride` bytes apart, from `to` on. What they leave open there stays.
void placePayloads(const HostInputs& inputs, const abi::DispatchInfo& info, uint32_t stride, std::byte* to);

}  // namespace millrace::runtime
