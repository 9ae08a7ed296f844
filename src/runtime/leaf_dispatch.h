// SPDX-License-Identifier: Apache-2.0
// Dispatches of which the host knows all work, since every node that gets inputs is a leaf: they need neither scheduler
// nor scratch memory, only plain dispatches with as many workgroups as there is work (docs/design.md, "Leaf
// dispatches").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "abi/dispatch.h"
#include "graph/graph.h"
#include "runtime/inputs.h"

namespace millrace::runtime {

// One more dispatch between two barriers takes an H200 about 0.2 us, by the programs by hand of M1 and S4. A thousand
// infos for a hundred nodes take the scheduler 41 us (D1).
inline constexpr size_t kMostLeafLaunches = 128;

struct LeafDispatch {
    // One vkCmdDispatch.
    struct Launch {
        uint32_t slot = 0;
        uint32_t groups[3] = {0, 1, 1};
        // `payloads` in bytes from where LeafDispatch::payloads begin, `memory` from the start of the scratch memory.
        abi::LeafArguments arguments{};
    };
    std::vector<Launch> launches;
    PayloadPlaces payloads;
    bool usesScratch = false;  // launches have memory there, behind the tables
};

// Workgroups that fill the device.
using FullGroups = std::function<uint32_t(uint32_t invocationsPerGroup)>;

// None if the scheduler has to run it: a node that gets inputs is no leaf, there are many launches or more work than
// they hold, workgroups need more scratch memory to fill the device than there is, or feed.comp has something to report
// (prepareFeed).
std::optional<LeafDispatch> prepareLeaves(const graph::Graph& graph, const HostInputs& inputs, uint64_t scratchBytes,
                                          const FullGroups& fullGroups);

}  // namespace millrace::runtime
