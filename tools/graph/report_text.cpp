// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "graph/budgets.h"
#include "tools/console.h"
#include "tools/graph/node_text.h"
#include "tools/graph/report.h"

namespace millrace::tools {

namespace {

std::string remarks(const graph::Node& node)
{
    std::string text;
    const auto add = [&](const std::string& remark) { text += (text.empty() ? "" : ", ") + remark; };
    if (node.declared.maxRecursion > 0)
        add("recursion " + std::to_string(node.declared.maxRecursion));
    if (node.declared.sharesInputWith)
        add("shares the input of " + idText(*node.declared.sharesInputWith));
    if (!node.declared.apiEntry)
        add("no API entry");
    if (node.declared.usesFinishWriting)
        add("finish writing");
    return text;
}

void printNodes(std::ostream& out, const GraphReport& report)
{
    Table table({"node", "launch", "grid", "local size", "payload", "level", "remarks"});
    for (const NodeGroup& group : report.groups.groups) {
        const graph::Node& node = report.graph.nodes[group.nodes.front()];
        table.add({groupName(report.graph, group), launchWord(node.declared), launchText(node),
                   gridText(node.declared.localSize), bytesText(graph::inputBytes(node.declared)),
                   levelsText(group.levels), remarks(node)});
    }
    table.print(out);
}

std::string targets(const GraphReport& report, uint32_t group, uint32_t output)
{
    std::string text;
    for (const PayloadEdge& edge : report.groups.payloads)
        if (edge.from == group && edge.output == output)
            text += (text.empty() ? "" : ", ") + groupName(report.graph, report.groups.groups[edge.to]);
    return text.empty() ? "no node" : text;
}

std::string remarks(const graph::NodeOutput& output)
{
    std::string text;
    const auto add = [&](const char* remark) { text += (text.empty() ? "" : ", ") + std::string(remark); };
    if (output.sparse)
        add("sparse");
    if (output.allocatesInLoop)
        add("in loops");
    if (output.perInvocation)
        add("per invocation");
    if (output.tracksFinishWriting)
        add("tracks finish");
    return text;
}

void printOutputs(std::ostream& out, const GraphReport& report)
{
    Table table({"from", "output", "to", "payloads of a workgroup", "payload", "remarks"});
    for (uint32_t g = 0; g < report.groups.groups.size(); ++g) {
        const NodeGroup& group = report.groups.groups[g];
        const graph::Node& node = report.graph.nodes[group.nodes.front()];
        for (uint32_t o = 0; o < node.declared.outputs.size(); ++o) {
            table.add({groupName(report.graph, group), std::to_string(o), targets(report, g, o),
                       budgetText(node.declared, o), bytesText(node.declared.outputs[o].payloadBytes),
                       remarks(node.declared.outputs[o])});
        }
    }
    if (table.rowCount() > 0) {
        out << "\n";
        table.print(out);
    }
}

std::string whereItRuns(const nodes::FusionOutcome& outcome)
{
    if (!outcome.fused)
        return "no: " + outcome.why;
    if (outcome.levelsInOne > 0) {
        const std::string parts =
            outcome.parts > 1 ? ", up to " + std::to_string(outcome.parts) + " invocations to a payload" : "";
        return std::to_string(outcome.levelsInOne) + " levels of its recursion in one" + parts;
    }
    if (outcome.depthFirst)
        return "its recursion, depth first";
    if (outcome.byWorkgroup)
        return "yes, a workgroup in its workgroup";
    const std::string why = outcome.why.empty() ? "" : ", no other: " + outcome.why;
    return outcome.lastLevel ? "the last level of its recursion" + why : "yes";
}

void printFusion(std::ostream& out, const GraphReport& report)
{
    Table table({"from", "to", "runs inside its producer"});
    for (const nodes::FusionOutcome& outcome : report.fusion)
        table.add({outcome.node, "'" + outcome.output + "'", whereItRuns(outcome)});
    if (table.rowCount() > 0) {
        out << "\n";
        table.print(out);
    }
}

void printLeaves(std::ostream& out, const GraphReport& report)
{
    std::string names;
    for (const NodeGroup& group : report.groups.groups)
        if (std::ranges::all_of(group.nodes, [&](uint32_t node) { return report.leaves[node]; }))
            names += (names.empty() ? "" : ", ") + groupName(report.graph, group);
    out << "\nWhat the application launches without scheduler: " << (names.empty() ? "no node" : names) << "\n";
}

}  // namespace

void printReport(std::ostream& out, const GraphReport& report)
{
    printNodes(out, report);
    printOutputs(out, report);
    printFusion(out, report);
    printLeaves(out, report);
    out << "\n"
        << report.graph.nodes.size() << (report.graph.nodes.size() == 1 ? " node, " : " nodes, ")
        << report.graph.levels.size() - 1 << (report.graph.levels.size() == 2 ? " level\n" : " levels\n")
        << "scratch memory: from " << report.scratch.minBytes << " to " << report.scratch.maxBytes
        << " bytes in steps of " << report.scratch.granularityBytes << " (" << bytesText(report.scratch.minBytes)
        << " to " << bytesText(report.scratch.maxBytes) << ")\n";
}

}  // namespace millrace::tools
