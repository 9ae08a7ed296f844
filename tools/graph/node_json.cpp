// SPDX-License-Identifier: Apache-2.0
#include "tools/graph/node_json.h"

#include <nlohmann/json.hpp>

#include "graph/budgets.h"
#include "tools/console.h"
#include "tools/graph/node_text.h"

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
    if (output.arraySize)
        out["arraySize"] = *output.arraySize;
    if (output.constantIndex)
        out["constantIndex"] = *output.constantIndex;
    return out;
}

json launchJson(const graph::Node& node)
{
    json launch = {{"mode", launchWord(node)}};
    if (node.drawn)
        return launch;
    switch (node.mode) {
        case graph::LaunchMode::Static:
            launch["grid"] = node.staticGrid;
            break;
        case graph::LaunchMode::Dynamic:
            launch["gridOffsetBytes"] = node.grid.offsetBytes;
            launch["gridComponents"] = node.grid.components;
            launch["gridComponentBytes"] = node.grid.componentBytes;
            if (node.declaresMaxGrid)
                launch["maxGrid"] = node.maxGrid;
            break;
        case graph::LaunchMode::Coalescing:
            launch["maxInputPayloads"] = node.maxInputPayloads;
            launch["packed"] = node.packWidth > 0;
            break;
    }
    return launch;
}

}  // namespace

json nodeJson(const graph::Node& node)
{
    json out = idJson(node.id);
    out["entryPoint"] = printable(node.entryPoint);
    out["launch"] = launchJson(node);
    out["localSize"] = node.localSize;
    out["payloadBytes"] = graph::inputBytes(node);
    out["maxRecursion"] = node.maxRecursion;
    out["apiEntry"] = node.apiEntry;
    out["writesInput"] = node.writesInput;
    out["usesFinishWriting"] = node.usesFinishWriting;
    out["outputs"] = json::array();
    for (const graph::NodeOutput& output : node.outputs)
        out["outputs"].push_back(outputJson(output));
    if (node.sharesInputWith)
        out["sharesInputWith"] = idJson(*node.sharesInputWith);
    return out;
}

}  // namespace millrace::tools
