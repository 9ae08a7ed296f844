// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tools/console.h"
#include "tools/graph/node_json.h"
#include "tools/graph/report.h"

namespace millrace::tools {

using nlohmann::json;

namespace {

json nodeOfGraphJson(const GraphReport& report, uint32_t n)
{
    json out = nodeJson(report.graph.nodes[n]);
    out["file"] = printable(report.files[n]);
    out["group"] = report.groups.groupOfNode[n];
    out["levels"] = report.groups.groups[report.groups.groupOfNode[n]].levels;
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
    for (uint32_t n = 0; n < report.graph.nodes.size(); ++n)
        out["nodes"].push_back(nodeOfGraphJson(report, n));
    out["fusion"] = json::array();
    for (const nodes::FusionOutcome& outcome : report.fusion) {
        json entry = {{"from", outcome.node}, {"to", outcome.output}, {"fused", outcome.fused}};
        if (outcome.lastLevel)
            entry["lastLevel"] = true;
        if (outcome.depthFirst)
            entry["depthFirst"] = true;
        if (outcome.byWorkgroup)
            entry["byWorkgroup"] = true;
        if (outcome.levelsInOne > 0) {
            entry["levelsInOne"] = outcome.levelsInOne;
            entry["parts"] = outcome.parts;
        }
        if (!outcome.why.empty())
            entry["why"] = outcome.why;
        out["fusion"].push_back(std::move(entry));
    }
    out["leaves"] = json::array();
    for (uint32_t n = 0; n < report.graph.nodes.size(); ++n)
        if (report.leaves[n])
            out["leaves"].push_back(n);
    for (const NodeGroup& group : report.groups.groups) {
        out["groups"].push_back(
            {{"name", groupName(report.graph, group)}, {"nodes", group.nodes}, {"levels", group.levels}});
    }
    for (const PayloadEdge& edge : report.groups.payloads)
        out["edges"].push_back({{"from", edge.from}, {"output", edge.output}, {"to", edge.to}});
    for (const SharingEdge& edge : report.groups.sharings)
        out["sharing"].push_back({{"base", edge.base}, {"sharer", edge.sharer}});
    return out;
}

}  // namespace millrace::tools
