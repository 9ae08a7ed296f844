// SPDX-License-Identifier: Apache-2.0
// One level makes payloads, the next adds up what is in them (m03/spread.comp, m03/absorb.comp).
#pragma once

#include <algorithm>
#include <memory>

#include "bench/workloads/common.h"

namespace millrace::bench {

struct FanOutShape {
    uint32_t payloads;
    uint32_t words;
    uint32_t each;  // payloads from an invocation
    const char* axis = "";
    // The second level looks at its payloads in an order that keeps it from running inside the first (docs/fusion.md).
    bool inMemory = false;
    bool isIndexed = false;  // it reads them in an order that compilers do not know

    uint32_t groups() const { return payloads / (64 * each); }
    // Every number of workgroups here is a power of two.
    uint32_t gridX() const { return std::min(groups(), 1024u); }
    uint32_t gridY() const { return groups() / gridX(); }
    Definitions definitions() const
    {
        Definitions all{
            {"WORDS", text(words)}, {"EACH", text(each)}, {"GRID_X", text(gridX())}, {"GRID_Y", text(gridY())}};
        if (inMemory)
            all.emplace_back("IN_MEMORY", "");
        if (isIndexed)
            all.emplace_back("INDEXED", "");
        return all;
    }
    VkDeviceSize bytes() const { return VkDeviceSize{payloads} * words * 4; }
    // What the second level has to write.
    std::vector<uint32_t> sums() const
    {
        std::vector<uint32_t> out(payloads);
        for (uint32_t id = 0; id < payloads; ++id) {
            uint32_t sum = id;
            for (uint32_t i = 1; i < words; ++i)
                sum += (2 * i + 1) * (id * 2654435761u + i);
            out[id] = sum;
        }
        return out;
    }
    // Records with what writes to `sums`.
    std::unique_ptr<Graph> createGraph(harness::Device& device, VkDeviceAddress sums) const
    {
        auto graph = std::make_unique<Graph>(
            device, std::vector<Node>{{"m03/spread", "spread", definitions()}, {"m03/absorb", "absorb", definitions()}},
            static_cast<uint32_t>(sizeof sums));
        graph->setArguments(argumentsOf(sums));
        graph->setLaunches({harness::launchWords("spread", 0, 1, {})});
        return graph;
    }
};

}  // namespace millrace::bench
