// SPDX-License-Identifier: Apache-2.0
// What feed.comp does, done by the host where it knows everything: begin.comp then copies payloads and entries to their
// places, which saves a dispatch, a barrier and a chain of dependent loads (docs/experiments.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/inputs.h"

namespace millrace::runtime {

struct PreparedFeed {
    // Whole granules, one part behind the other, and where they go: of the payloads, and behind those of `entries`.
    struct Part {
        uint32_t to = 0;  // granule of the scratch memory
        uint32_t granules = 0;
    };
    PayloadPlaces payloads;
    std::vector<std::byte> entries;
    std::vector<Part> parts;
    size_t bytes() const { return payloads.bytes() + entries.size(); }
};

// Enters into `plan` what the streams and the region of level 0 hold when everything is fed. None if that is more than
// they have room for, which feed.comp then does in parts, or if it has something to report: a node that is no entry,
// too many payloads, a grid out of bounds.
std::optional<PreparedFeed> prepareFeed(const graph::Graph& graph, const HostInputs& inputs, graph::DispatchPlan& plan);

}  // namespace millrace::runtime
