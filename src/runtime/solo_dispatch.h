// SPDX-License-Identifier: Apache-2.0
// A dispatch that one workgroup runs alone: what it copies to its shared memory and to the scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/solo.h"
#include "runtime/inputs.h"
#include "runtime/runtime.h"

namespace millrace::runtime {

struct SoloDispatch {
    graph::SoloPlan plan;
    std::vector<std::byte> payloads;  // of the API: SoloPlan::fedGranules granules
};

// None if several workgroups have to run it. `rounds`: Settings::soloRounds. Requires: prepareFeed() has nothing to
// report.
std::optional<SoloDispatch> prepareSolo(const GraphPipeline& pipeline, const HostInputs& inputs,
                                        VkDeviceAddress scratch, VkDeviceSize scratchBytes, uint32_t rounds);

}  // namespace millrace::runtime
