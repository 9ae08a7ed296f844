// SPDX-License-Identifier: Apache-2.0
// The inputs of a dispatch that the host gives: what they are worth to the plan, and their copy for the feed shader.
#pragma once

#include <cstddef>
#include <cstdint>
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

// `bytes` (1, 2 or 4) bytes of a grid.
uint32_t readComponent(const std::byte* at, uint32_t bytes);

// Copies everything; no pointer of the application is kept. Infos that name no node keep their count and no payloads.
HostInputs copyHostInputs(const graph::Graph& graph, const VkDispatchGraphCountInfoAMDX& countInfo);

}  // namespace millrace::runtime
