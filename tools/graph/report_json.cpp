// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "graph/budgets.h"
#include "tools/console.h"
#include "tools/graph/node_text.h"
#include "tools/graph/report.h"

namespace millrace::tools {

using nlohmann::json;

namespace {

json idJson(const graph::NodeId& id)
{
    return {{"name", printable(id.name)}, {"index", id.index}};
}

json outputJson(const graph::NodeOutput& output)
{
    json out = {{"target", printable(output.targetName)},
                {"baseIndex", output.baseIndex},
                {"sparse", output.sparse},
                {"payloadBytes", output.payloadBytes},
                {"maxPayloads", output.budget},
                {"budgetOfOutput", output.budgetPool},
                {"allocations", output.allocationSites},
                {"allocatesInLoop", output.allocatesInLoop},
                {"perInvocation", output.perInvocation},
                {"tracksFinishWriting", output.tracksFinishWriting}};
    if (output.arraySize) {
        out["arraySize"] = *output.arraySize;
    }
    if (output.constantIndex) {
        out["constantIndex"] = *output.constantIndex;
    }
    return out;
}

json launchJson(const graph::Node& node)
{
    json launch = {{"mode", launchWord(node)}};
    switch (node.mode) {
        case graph::LaunchMode::Static:
            launch["grid"] = node.staticGrid;
            break;
        case graph::LaunchMode::Dynamic:
            launch["gridOffsetBytes"] = node.grid.offsetBytes;
            launch["gridComponents"] = node.grid.components;
            launch["gridComponentBytes"] = node.grid.componentBytes;
            if (node.declaresMaxGrid) {
                launch["maxGrid"] = node.maxGrid;
            }
            break;
        case graph::LaunchMode::Coalescing:
            launch["maxInputPayloads"] = node.maxInputPayloads;
            launch["packed"] = node.packWidth > 0;
            break;
    }
    return launch;
}

json nodeJson(const GraphReport& report, uint32_t n)
{
    const graph::Node& node = report.graph.nodes[n];
    json out = idJson(node.id);
    out["file"] = printable(report.files[n]);
    out["entryPoint"] = printable(node.entryPoint);
    out["launch"] = launchJson(node);
    out["localSize"] = node.localSize;
    out["payloadBytes"] = graph::inputBytes(node);
    out["maxRecursion"] = node.maxRecursion;
    out["apiEntry"] = node.apiEntry;
    out["writesInput"] = node.writesInput;
    out["usesFinishWriting"] = node.usesFinishWriting;
    out["group"] = report.groups.groupOfNode[n];
    out["levels"] = report.groups.groups[report.groups.groupOfNode[n]].levels;
    out["outputs"] = json::array();
    for (const graph::NodeOutput& output : node.outputs) {
        out["outputs"].push_back(outputJson(output));
    }
    if (node.sharesInputWith) {
        out["sharesInputWith"] = idJson(*node.sharesInputWith);
    }
    return out;
}

}  // namespace

json reportJson(const GraphReport& report)
{
    json out = {{"nodes", json::array()},
                {"groups", json::array()},
                {"edges", json::array()},
                {"sharing", json::array()},
                {"levelCount", report.graph.levels.size() - 1},
                {"scratch",
                 {{"minBytes", report.scratch.minBytes},
                  {"maxBytes", report.scratch.maxBytes},
                  {"granularityBytes", report.scratch.granularityBytes}}},
                {"warnings", report.groups.warnings},
                {"errors", json::array()}};
    for (uint32_t n = 0; n < report.graph.nodes.size(); n++) {
        out["nodes"].push_back(nodeJson(report, n));
    }
    for (const NodeGroup& group : report.groups.groups) {
        out["groups"].push_back(
            {{"name", groupName(report.graph, group)}, {"nodes", group.nodes}, {"levels", group.levels}});
    }
    for (const PayloadEdge& edge : report.groups.payloads) {
        out["edges"].push_back({{"from", edge.from}, {"output", edge.output}, {"to", edge.to}});
    }
    for (const SharingEdge& edge : report.groups.sharings) {
        out["sharing"].push_back({{"base", edge.base}, {"sharer", edge.sharer}});
    }
    return out;
}

}  // namespace millrace::tools
