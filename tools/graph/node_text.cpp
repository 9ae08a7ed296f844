// SPDX-License-Identifier: Apache-2.0
#include "tools/graph/node_text.h"

#include "graph/budgets.h"
#include "tools/console.h"

namespace millrace::tools {

std::string gridText(const uint32_t (&grid)[3])
{
    return std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[2]);
}

std::string launchWord(const graph::NodeDeclaration& node)
{
    if (node.drawn)
        return "mesh";
    switch (node.mode) {
        case graph::LaunchMode::Static:
            return "static";
        case graph::LaunchMode::Dynamic:
            return "dynamic";
        case graph::LaunchMode::Coalescing:
            return "coalescing";
    }
    return "";
}

std::string launchText(const graph::Node& node)
{
    if (node.declared.drawn)
        return "a draw for each payload";
    switch (node.declared.mode) {
        case graph::LaunchMode::Static:
            return gridText(node.declared.staticGrid);
        case graph::LaunchMode::Dynamic:
            return "payload byte " + std::to_string(node.declared.grid.offsetBytes) +
                   (node.declared.declaresMaxGrid ? ", up to " + gridText(node.declared.maxGrid) : "");
        case graph::LaunchMode::Coalescing:
            return "up to " + std::to_string(node.declared.maxInputPayloads) +
                   (node.declared.maxInputPayloads == 1 ? " payload" : " payloads") +
                   (node.decided.packWidth > 0 ? ", packed" : "");
    }
    return "";
}

std::string payloadText(const graph::NodeDeclaration& node)
{
    const uint32_t bytes = graph::inputBytes(node);
    return bytes == 0 ? "no payload" : "payload " + bytesText(bytes);
}

std::string idText(const graph::NodeId& id)
{
    return printable(id.name) + "[" + std::to_string(id.index) + "]";
}

std::string budgetText(const graph::NodeDeclaration& node, size_t output)
{
    const graph::NodeOutput& out = node.outputs[output];
    if (out.allocationSites == 0)
        return "only asks";
    if (out.budgetPool == output)
        return "at most " + std::to_string(out.budget);
    return "at most " + std::to_string(node.outputs[out.budgetPool].budget) + " with output " +
           std::to_string(out.budgetPool);
}

std::string levelsText(const std::vector<uint32_t>& levels)
{
    if (levels.empty())
        return "-";
    if (levels.size() == 1)
        return std::to_string(levels.front());
    if (levels.back() - levels.front() + 1 == levels.size())
        return std::to_string(levels.front()) + "-" + std::to_string(levels.back());
    std::string text;
    for (uint32_t level : levels)
        text += (text.empty() ? "" : ", ") + std::to_string(level);
    return text;
}

}  // namespace millrace::tools
