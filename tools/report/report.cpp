// SPDX-License-Identifier: Apache-2.0
// `millrace report`: what a trace says, as text, as a page, or for Perfetto; what results of bench/run say, as text or
// as a page.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/input_file.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/files.h"
#include "tools/progress.h"
#include "tools/report/bench_page.h"
#include "tools/report/calls.h"
#include "tools/report/meshes.h"
#include "tools/report/page.h"
#include "tools/report_errors.h"
#include "tools/run/document.h"
#include "trace/chrome.h"
#include "trace/file.h"

namespace millrace::tools {

namespace {

using namespace millrace::tools::report;

struct Arguments {
    std::vector<std::string> files;
    std::string output;
    uint32_t skippedRuns = 0;
    bool asJson = false;
};

std::string bytesOrDash(const std::optional<uint64_t>& bytes)
{
    return bytes ? bytesText(*bytes) : "-";
}

void printGraph(const GraphSummary& graph, bool timed)
{
    std::cout << colour(Colour::Bold, printable(graph.shape.name)) << ": " << graph.runs << " runs, "
              << graph.sweeps - std::min(graph.runs, graph.sweeps) << " continuations, " << graph.steps << " steps, "
              << graph.barriers << " barriers" << (timed ? ", " + timeText(graph.nanoseconds) : "") << "\n"
              << "  scratch memory " << bytesText(graph.scratchBytes) << ", of which tables "
              << bytesText(graph.tableBytes) << ", payloads up to " << bytesText(graph.memoryBytes) << "\n";
    Table table({"node", "levels", "records", "workgroups", "lanes", "read", "written", "time"});
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const NodeSummary& node = graph.nodes[n];
        const auto time = timed ? node.nanoseconds.get() : std::nullopt;
        std::string levels = std::to_string(node.firstLevel);
        levels += node.lastLevel > node.firstLevel ? "-" + std::to_string(node.lastLevel) : "";
        char lanes[16];
        std::snprintf(lanes, sizeof(lanes), "%.0f %%", node.busyLanes() * 100);
        if (!isCounted(graph, static_cast<uint32_t>(n))) {
            table.add({printable(nameOf(graph.shape.nodes[n])), "-", "-", "-", "-", "-", "-", "-"});
            continue;
        }
        table.add({printable(nameOf(graph.shape.nodes[n])), node.activeLevels > 0 ? levels : "-",
                   std::to_string(node.records), std::to_string(node.workgroups), lanes, bytesText(node.bytesRead),
                   bytesOrDash(node.bytesWritten.get()), time ? timeText(*time) : "-"});
    }
    table.print(std::cout, "  ");
}

void printSummary(const TraceSummary& trace, const std::vector<Finding>& findings)
{
    std::cout << "device: " << printable(trace.device.name) << "\n";
    if (!trace.device.traits.empty())
        std::cout << "traits: " << printable(traitsText(trace.device)) << "\n";
    for (const GraphSummary& graph : trace.graphs) {
        std::cout << "\n";
        printGraph(graph, trace.timed);
    }
    printMeshes(std::cout, trace);
    printCalls(std::cout, trace);
    std::cout << (findings.empty() ? "\nnothing stands out\n" : "\n");
    for (const Finding& finding : findings) {
        const bool isProblem = finding.kind == Finding::Kind::Problem;
        const std::string graph =
            finding.isOfGraph() && trace.graphs.size() > 1 ? trace.graphs[finding.graph].shape.name + ": " : "";
        std::cout << colour(isProblem ? Colour::Red : Colour::Yellow, isProblem ? "problem" : "hint") << ": "
                  << printable(graph + finding.text) << "\n         " << printable(finding.advice) << "\n";
    }
}

int writePerfetto(const std::string& bytes, const std::string& path)
{
    makeFolderOf(path);
    auto writer = trace::ChromeWriter::create(path);
    if (!writer)
        return fail(writer.error().text());
    const Status status = trace::read(bytes, **writer);
    return status ? 0 : fail(status.error().text());
}

int reportTrace(const Arguments& arguments, const std::string& bytes)
{
    const std::string file = inputName(arguments.files.front());
    const Result<TraceSummary> trace = summarize(bytes, arguments.skippedRuns);
    if (!trace) {
        const std::string other = file.ends_with(".mrtrace") ? "" : whatTakes(file);
        return reportErrors({{file, trace.error().where, trace.error().message + other}}, arguments.asJson);
    }
    const std::vector<Finding> findings = findIn(*trace);
    if (arguments.asJson)
        std::cout << reportJson(*trace, findings, false).dump(2) << "\n";
    else if (arguments.output.empty())
        printSummary(*trace, findings);
    if (arguments.output.empty())
        return 0;
    if (arguments.output.ends_with(".json")) {
        if (arguments.skippedRuns > 0)
            warn("--skip-runs leaves nothing out of what is written for Perfetto");
        return writePerfetto(bytes, arguments.output);
    }
    const Progress progress("writing");
    return writeFile(arguments.output, makePage(*trace, findings, std::filesystem::path(file).filename().string()));
}

int reportBench(const Arguments& arguments)
{
    if (arguments.output.ends_with(".json"))
        return reportErrors({{arguments.output, "", "only a trace can be written for Perfetto"}}, arguments.asJson);
    std::vector<BenchResult> results;
    try {
        for (const std::string& file : arguments.files)
            results.push_back(readBenchResult(file));
    } catch (const run::InputError& error) {
        ErrorList errors;
        errors.add(error);
        return errors.report(arguments.asJson);
    }
    if (arguments.asJson)
        std::cout << benchJson(results).dump(2) << "\n";
    else if (arguments.output.empty())
        printBench(std::cout, results);
    return arguments.output.empty() ? 0 : writeFile(arguments.output, makeBenchPage(results));
}

// Traces of both kinds begin otherwise: the compact one with its name, that for Perfetto with a list.
bool isObject(const std::string& bytes)
{
    const size_t first = bytes.find_first_not_of(" \t\r\n");
    return first != std::string::npos && bytes[first] == '{';
}

int runReport(const Arguments& arguments)
{
    std::string bytes;
    if (const Status read = readInput(arguments.files.front(), bytes); !read) {
        return reportErrors({{inputName(arguments.files.front()), "", withReason("cannot be read", read)}},
                            arguments.asJson);
    }
    if (isObject(bytes)) {
        if (arguments.skippedRuns > 0)
            return reportErrors({{arguments.files.front(), "", "--skip-runs is for traces"}}, arguments.asJson);
        return reportBench(arguments);
    }
    if (arguments.files.size() > 1) {
        return reportErrors({{arguments.files[1], "", "a trace is shown alone; results of bench/run may be several"}},
                            arguments.asJson);
    }
    return reportTrace(arguments, bytes);
}

}  // namespace

Command addReport(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "report", "Show what a trace or results of the bench say: as text, as a page, or for Perfetto");
    command->footer(
        "A trace is what 'millrace run --trace' writes, and the layer's setting \"trace\"; docs/trace.md explains it. "
        "A "
        "result is what 'bench/run' writes (docs/bench.md); of several all are shown side by side.\n"
        "\n"
        "Examples:\n"
        "  millrace run graph.json --trace graph.mrtrace\n"
        "  millrace report graph.mrtrace\n"
        "  millrace report graph.mrtrace -o graph.html\n"
        "  millrace report result.json without_fusion.json -o bench.html");
    command->add_option("file", arguments->files, "the compact trace, or results of bench/run; - for standard input")
        ->type_name("FILE")
        ->required();
    command
        ->add_option("-o,--output", arguments->output,
                     "write a page that needs nothing else, or for Perfetto if the name ends in .json")
        ->type_name("FILE");
    command
        ->add_option("--skip-runs", arguments->skippedRuns,
                     "leave out the first runs of each graph, in which drivers compile")
        ->type_name("COUNT")
        ->capture_default_str();
    command->add_flag("--json", arguments->asJson, "write JSON instead of text");
    return [arguments] { return runReport(*arguments); };
}

}  // namespace millrace::tools
