// SPDX-License-Identifier: Apache-2.0
#include "tools/report/page.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tools/console.h"
#include "tools/report/boxes.h"
#include "tools/report/calls.h"
#include "tools/report/page_parts.h"
#include "tools/report/template.h"

namespace millrace::tools::report {

namespace {

using Json = nlohmann::ordered_json;

Json numberOrNull(const std::optional<uint64_t>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json nodeJson(const trace::Node& shape, const NodeSummary& node, bool timed, bool counted)
{
    return {{"name", printable(shape.name)},
            {"index", shape.index},
            {"launch", trace::nameOf(shape.launch)},
            {"invocations", shape.invocations},
            {"recursions", shape.maxRecursion},
            {"counted", counted},
            {"levels", node.activeLevels == 0 ? Json(nullptr) : Json{node.firstLevel, node.lastLevel}},
            {"steps", node.activeLevels},
            {"records", node.records},
            {"workgroups", node.workgroups},
            {"lanes_used", node.lanesBusy},
            {"lanes_held", node.lanesHeld},
            {"bytes_read", node.bytesRead},
            {"bytes_written", numberOrNull(node.bytesWritten.get())},
            {"budget_bytes", node.budgetBytes},
            {"ns", timed ? numberOrNull(node.nanoseconds.get()) : Json(nullptr)}};
}

Json flowJson(const Flow& flow)
{
    return {{"from", flow.from ? Json(*flow.from) : Json(nullptr)},
            {"to", flow.to},
            {"payloads", flow.payloads},
            {"exact", flow.exact}};
}

Json graphJson(const GraphSummary& graph, bool timed)
{
    Json out{{"name", printable(graph.shape.name)},
             {"levels", graph.shape.levels},
             {"dispatches", graph.dispatches},
             {"runs", graph.runs},
             {"sweeps", graph.sweeps},
             {"continuations", graph.sweeps - std::min(graph.runs, graph.sweeps)},
             {"steps", graph.steps},
             {"barriers", graph.barriers},
             {"ns", timed ? Json(graph.nanoseconds) : Json(nullptr)},
             {"slow_start", timed && graph.startsSlowly()},
             {"bytes_written", graph.bytesWritten},
             {"memory_bytes", graph.memoryBytes},
             {"scratch_bytes", graph.scratchBytes},
             {"table_bytes", graph.tableBytes},
             {"region_bytes", graph.regionBytes},
             {"fits", graph.fits},
             {"exact", graph.exact},
             {"dropped", graph.dropped},
             {"nodes", Json::array()},
             {"flows", Json::array()}};
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        out["nodes"].push_back(
            nodeJson(graph.shape.nodes[n], graph.nodes[n], timed, isCounted(graph, static_cast<uint32_t>(n))));
    }
    for (const Flow& flow : graph.flows)
        out["flows"].push_back(flowJson(flow));
    return out;
}

Json meshJson(const MeshSummary& mesh)
{
    const trace::MeshPipeline& shape = mesh.shape;
    const trace::MeshWork& work = mesh.work;
    Json out{{"name", printable(shape.name)}, {"task", shape.hasTask}, {"mesh", shape.hasMesh}};
    if (shape.hasTask) {
        out.update({{"task_workgroups", work.taskGroups},
                    {"empty_task_workgroups", work.emptyTaskGroups},
                    {"emitted_workgroups", work.emittedGroups},
                    {"most_emitted", work.mostEmitted},
                    {"amplification", mesh.amplification()}});
    }
    if (shape.hasMesh) {
        out.update({{"corners", shape.corners},
                    {"max_vertices", shape.maxVertices},
                    {"max_primitives", shape.maxPrimitives},
                    {"workgroups", work.groups},
                    {"empty_workgroups", work.emptyGroups},
                    {"culled_workgroups", work.culledGroups},
                    {"vertices", work.vertices},
                    {"primitives", work.primitives},
                    {"culled_primitives", work.culledPrimitives},
                    {"most_vertices", work.mostVertices},
                    {"most_primitives", work.mostPrimitives},
                    {"vertex_fill", work.vertexFill},
                    {"primitive_fill", work.primitiveFill},
                    {"vertices_per_corner", mesh.vertexRatio()}});
    }
    return out;
}

// Of a set, those that ran.
Json pipelinesJson(const CallSummary& call)
{
    Json out = Json::array();
    for (size_t i = 0; i < call.byPipeline.size(); ++i)
        if (call.byPipeline[i] > 0)
            out.push_back({{"name", printable(call.shape.pipelines[i])}, {"sequences", call.byPipeline[i]}});
    return out;
}

Json callJson(const CallSummary& call)
{
    const auto ifKnown = [&](Json value) { return call.isKnown() ? value : Json(nullptr); };
    Json out{{"name", printable(call.shape.name)},
             {"way", printable(wayText(call.shape))},
             {"tokens", Json::array()},
             {"executions", call.executions},
             {"max_sequences", call.shape.maxSequences},
             {"sequences", ifKnown(call.sequences)},
             {"left_out", ifKnown(call.leftOut)},
             {"unknown", printable(call.shape.unknown)},
             {"timed_executions", call.timed},
             {"ns", call.timed > 0 ? Json(call.nanoseconds) : Json(nullptr)},
             {"pipelines", ifKnown(pipelinesJson(call))}};
    for (const std::string& token : call.shape.tokens)
        out["tokens"].push_back(printable(token));
    return out;
}

// As columns, since there may be many.
Json stepsJson(const TraceSummary& trace)
{
    Json out;
    const uint64_t origin = trace.steps.empty() ? 0 : trace.steps.front().time.begin;
    auto column = [&](const char* name, auto value) {
        Json& list = out[name] = Json::array();
        for (const StepSummary& step : trace.steps)
            list.push_back(value(step));
    };
    column("graph", [](const StepSummary& s) { return Json(s.graph); });
    // A trace counts runs of a recorded dispatch; people count those of the graph, from 1.
    std::map<uint32_t, std::map<std::pair<uint32_t, uint32_t>, size_t>> runs;
    column("run", [&](const StepSummary& s) {
        auto& known = runs[s.graph];
        return Json(known.try_emplace({s.dispatch, s.run}, known.size() + 1).first->second);
    });
    column("sweep", [](const StepSummary& s) { return Json(s.sweep); });
    column("level", [](const StepSummary& s) { return Json(s.level); });
    column("begin", [&](const StepSummary& s) { return Json(s.time.begin - origin); });
    column("ns", [](const StepSummary& s) { return Json(s.time.end - s.time.begin); });
    column("records", [](const StepSummary& s) { return Json(s.records); });
    column("workgroups", [](const StepSummary& s) { return Json(s.workgroups); });
    column("lanes_used", [](const StepSummary& s) { return Json(s.lanesBusy); });
    column("lanes_held", [](const StepSummary& s) { return Json(s.lanesHeld); });
    column("memory_bytes", [](const StepSummary& s) { return Json(s.memoryBytes); });
    column("nodes", [](const StepSummary& s) { return Json(s.nodes); });
    column("busiest", [](const StepSummary& s) { return s.busiest ? Json(*s.busiest) : Json(nullptr); });
    return out;
}

}  // namespace

Json reportJson(const TraceSummary& trace, const std::vector<Finding>& findings, bool withSteps)
{
    Json out{{"device",
              {{"name", printable(trace.device.name)},
               {"settings", printable(trace.device.settings)},
               {"subgroup_size", trace.device.subgroupSize},
               {"traits", printable(traitsText(trace.device))}}},
             {"timed", trace.timed},
             {"lost_sweeps", trace.lostSweeps},
             {"findings", Json::array()},
             {"graphs", Json::array()}};
    for (const Finding& finding : findings) {
        out["findings"].push_back({{"kind", finding.kind == Finding::Kind::Problem ? "problem" : "hint"},
                                   {"graph", finding.isOfGraph() ? Json(finding.graph) : Json(nullptr)},
                                   {"mesh", finding.mesh ? Json(*finding.mesh) : Json(nullptr)},
                                   {"call", finding.call ? Json(*finding.call) : Json(nullptr)},
                                   {"node", finding.node ? Json(*finding.node) : Json(nullptr)},
                                   {"text", printable(finding.text)},
                                   {"advice", printable(finding.advice)}});
    }
    for (const GraphSummary& graph : trace.graphs)
        out["graphs"].push_back(graphJson(graph, trace.timed));
    out["meshes"] = Json::array();
    for (const MeshSummary& mesh : trace.meshes)
        out["meshes"].push_back(meshJson(mesh));
    const FrontSummary& fronts = trace.fronts;
    out["mesh_fronts"] = {{"instances", fronts.instances}, {"draws", fronts.draws}, {"ns", fronts.nanoseconds}};
    out["generated_calls"] = Json::array();
    for (const CallSummary& call : trace.calls)
        out["generated_calls"].push_back(callJson(call));
    if (withSteps)
        out["steps"] = stepsJson(trace);
    return out;
}

std::string makePage(const TraceSummary& trace, const std::vector<Finding>& findings, const std::string& title)
{
    Json data = reportJson(trace, findings, true);
    for (size_t g = 0; g < trace.graphs.size(); ++g) {
        data["graphs"][g]["boxes"] = boxesOf(trace.graphs[g]);
        data["graphs"][g]["depths"] = depthsOf(trace.graphs[g]);
    }
    return fillIn(kPageHtml, {{"style", kPageCss},
                              {"d3", fillIn(kD3Html, {{"code", joined(kPageD3)}})},
                              {"dagre", joined(kPageDagre)},
                              {"script", std::string(kBasicsJs) + kDrawingJs + kPageJs},
                              {"title", htmlText(printable(title))},
                              {"data", jsonForScript(data)}});
}

}  // namespace millrace::tools::report
