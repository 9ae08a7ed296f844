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

Json describeLaunch(const graph::NodeDeclaration& node)
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
    Json json = describe(node.declared.id);
    json["entryPoint"] = node.declared.entryPoint;
    json["apiEntry"] = node.declared.apiEntry;
    json["launch"] = describeLaunch(node.declared);
    json["localSize"] = node.declared.localSize;
    json["packWidth"] = node.decided.packWidth;
    json["maxRecursion"] = node.declared.maxRecursion;
    if (node.declared.sharesInputWith)
        json["sharesInputWith"] = describe(*node.declared.sharesInputWith);
    json["input"] = {{"declared", node.declared.declaresPayload},
                     {"payloadBytes", node.declared.payloadBytes},
                     {"alignmentBytes", node.declared.payloadAlignment},
                     {"written", node.declared.writesInput},
                     {"usesFinishWriting", node.declared.usesFinishWriting},
                     {"sendsWhenFinished", node.declared.sendsWhenFinished}};
    json["outputs"] = Json::array();
    for (const graph::NodeOutput& output : node.declared.outputs)
        json["outputs"].push_back(describe(output));
    // Names come from the shader and need not be UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace millrace::api
