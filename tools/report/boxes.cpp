// SPDX-License-Identifier: Apache-2.0
#include "tools/report/boxes.h"

#include <algorithm>

namespace millrace::tools::report {

namespace {

constexpr size_t kMostBoxes = 60;

}  // namespace

std::vector<uint32_t> boxesOf(const GraphSummary& graph)
{
    std::vector<uint32_t> boxes;
    std::map<std::string, uint32_t> arrays;
    for (uint32_t n = 0; n < graph.shape.nodes.size(); n++) {
        const bool isJoined = graph.shape.nodes.size() > kMostBoxes;
        boxes.push_back(isJoined ? arrays.try_emplace(graph.shape.nodes[n].name, n).first->second : n);
    }
    return boxes;
}

std::vector<uint32_t> depthsOf(const GraphSummary& graph)
{
    std::vector<uint32_t> depths(graph.shape.nodes.size(), graph.shape.levels);
    for (const trace::Slot& slot : graph.shape.slots) {
        depths[slot.node] = std::min(depths[slot.node], slot.level);
    }
    return depths;
}

}  // namespace millrace::tools::report
