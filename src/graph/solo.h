// SPDX-License-Identifier: Apache-2.0
// Dispatches that are so small that one workgroup runs all their slots, one after the other (docs/design.md, "Solo").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abi/solo.h"
#include "graph/graph.h"
#include "graph/plan.h"

namespace millrace::graph {

// One of the codes that are together in a module.
struct SoloCode {
    uint32_t invocations = 1;   // of a workgroup of the node
    bool isCollective = false;  // its invocations wait for each other: its workgroup is as large as ours
    bool runsBeside = false;    // several of its workgroups may run side by side in ours
};

struct SoloShape {
    uint32_t invocations = 0;  // of our workgroup
    std::vector<SoloCode> codes;
};

struct SoloPlan {
    // abi::kSoloGraph and abi::kSoloStatus are for the caller to fill in.
    std::vector<uint32_t> table;
    // Payloads of the API: where those of a queue begin, in granules behind the first, and that one's granule of the
    // scratch memory.
    struct Fed {
        uint32_t queue = 0;
        uint32_t at = 0;
    };
    std::vector<Fed> fed;
    uint32_t fedGranules = 0;
    uint32_t begin = 0;
};

// A round is what our workgroup runs of a slot at a time, and takes some 0.5 us on an H200, where a level with a
// dispatch of its own takes 4.2: so it is worth it for four rounds a level. Grids that come with payloads count as one
// workgroup there, though they may be as large as the node declares: then this many rounds are what may be lost.
inline constexpr uint64_t kSoloRoundsPerLevel = 4;
inline constexpr uint64_t kSoloMostRounds = 320;

struct SoloLimits {
    uint64_t roundsPerLevel = kSoloRoundsPerLevel;
    uint64_t mostRounds = kSoloMostRounds;
};

// Fails with the reason if a dispatch is too large for that, or its memory too small. `codeOfNode`: per node, index
// into SoloShape::codes. Requires: scratchBytes >= scratchSizes().minBytes; that no input has to be reported
// (prepareFeed).
Result<SoloPlan> planSolo(const Graph& graph, const SoloShape& shape, std::span<const uint32_t> codeOfNode,
                          std::span<const KnownInput> inputs, uint64_t scratchAddress, uint64_t scratchBytes,
                          const SoloLimits& limits = {});

}  // namespace millrace::graph
