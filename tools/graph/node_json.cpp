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
    json launch = {{"mode", launchWord(node.declared)}};
    if (node.declared.drawn)
        return launch;
    switch (node.declared.mode) {
        case graph::LaunchMode::Static:
            launch["grid"] = node.declared.staticGrid;
            break;
        case graph::LaunchMode::Dynamic:
            launch["gridOffsetBytes"] = node.declared.grid.offsetBytes;
            launch["gridComponents"] = node.declared.grid.components;
            launch["gridComponentBytes"] = node.declared.grid.componentBytes;
            if (node.declared.declaresMaxGrid)
                launch["maxGrid"] = node.declared.maxGrid;
            break;
        case graph::LaunchMode::Coalescing:
            launch["maxInputPayloads"] = node.declared.maxInputPayloads;
            launch["packed"] = node.decided.packWidth > 0;
            break;
    }
    return launch;
}

}  // namespace

json nodeJson(const graph::Node& node)
{
    json out = idJson(node.declared.id);
    out["entryPoint"] = printable(node.declared.entryPoint);
    out["launch"] = launchJson(node);
    out["localSize"] = node.declared.localSize;
    out["payloadBytes"] = graph::inputBytes(node.declared);
    out["maxRecursion"] = node.declared.maxRecursion;
    out["apiEntry"] = node.declared.apiEntry;
    out["writesInput"] = node.declared.writesInput;
    out["usesFinishWriting"] = node.declared.usesFinishWriting;
    out["outputs"] = json::array();
    for (const graph::NodeOutput& output : node.declared.outputs)
        out["outputs"].push_back(outputJson(output));
    if (node.declared.sharesInputWith)
        out["sharesInputWith"] = idJson(*node.declared.sharesInputWith);
    return out;
}

}  // namespace millrace::tools
