// SPDX-License-Identifier: Apache-2.0
#include "api/reflection.h"

#include <nlohmann/json.hpp>

namespace millrace::api {

namespace {

// Keeps members in the order in which they are written.
using Json = nlohmann::ordered_json;

Json describe(const graph::NodeId& id)
{
    return {{"name", id.name}, {"index", id.index}};
}

Json describeLaunch(const graph::Node& node)
{
    switch (node.mode) {
        case graph::LaunchMode::Static:
            return {{"mode", "static"}, {"grid", node.staticGrid}};
        case graph::LaunchMode::Dynamic:
            return {{"mode", "dynamic"},
                    {"maxGrid", node.maxGrid},
                    {"gridOffsetBytes", node.grid.offsetBytes},
                    {"gridComponents", node.grid.components},
                    {"gridComponentBytes", node.grid.componentBytes}};
        case graph::LaunchMode::Coalescing:
            return {{"mode", "coalescing"}, {"maxPayloads", node.maxInputPayloads}};
    }
    return {};
}

Json describe(const graph::NodeOutput& output)
{
    Json json = {{"node", output.targetName}, {"baseIndex", output.baseIndex}};
    if (output.arraySize)
        json["arraySize"] = *output.arraySize;
    if (output.constantIndex)
        json["constantIndex"] = *output.constantIndex;
    json["sparse"] = output.sparse;
    json["payloadBytes"] = output.payloadBytes;
    json["budget"] = output.budget;
    json["budgetPool"] = output.budgetPool;
    json["allocationSites"] = output.allocationSites;
    json["allocatesInLoop"] = output.allocatesInLoop;
    json["perInvocation"] = output.perInvocation;
    json["tracksFinishWriting"] = output.tracksFinishWriting;
    return json;
}

}  // namespace

std::string describe(const graph::Node& node)
{
    Json json = describe(node.id);
    json["entryPoint"] = node.entryPoint;
    json["apiEntry"] = node.apiEntry;
    json["launch"] = describeLaunch(node);
    json["localSize"] = node.localSize;
    json["packWidth"] = node.packWidth;
    json["maxRecursion"] = node.maxRecursion;
    if (node.sharesInputWith)
        json["sharesInputWith"] = describe(*node.sharesInputWith);
    json["input"] = {{"declared", node.declaresPayload},
                     {"payloadBytes", node.payloadBytes},
                     {"alignmentBytes", node.payloadAlignment},
                     {"written", node.writesInput},
                     {"usesFinishWriting", node.usesFinishWriting},
                     {"sendsWhenFinished", node.sendsWhenFinished}};
    json["outputs"] = Json::array();
    for (const graph::NodeOutput& output : node.outputs)
        json["outputs"].push_back(describe(output));
    // Names come from the shader and need not be UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace millrace::api
