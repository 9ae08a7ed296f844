// SPDX-License-Identifier: Apache-2.0
#include "tools/report/boxes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace millrace::tools::report {

std::vector<uint32_t> boxesOf(const GraphSummary& graph)
{
    std::vector<uint32_t> boxes;
    std::map<std::pair<std::string, trace::Launch>, uint32_t> arrays;
    for (uint32_t n = 0; n < graph.shape.nodes.size(); ++n) {
        const trace::Node& node = graph.shape.nodes[n];
        boxes.push_back(arrays.try_emplace({node.name, node.launch}, n).first->second);
    }
    return boxes;
}

std::vector<uint32_t> depthsOf(const GraphSummary& graph)
{
    std::vector<uint32_t> depths(graph.shape.nodes.size(), graph.shape.levels);
    for (const trace::Slot& slot : graph.shape.slots)
        depths[slot.node] = std::min(depths[slot.node], slot.level);
    return depths;
}

}  // namespace millrace::tools::report
