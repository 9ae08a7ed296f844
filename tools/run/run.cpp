// SPDX-License-Identifier: Apache-2.0
// `millrace run`: an execution graph from files, without any program around it.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/near_word.h"
#include "data/scalars.h"
#include "runtime/capture_member.h"
#include "settings/capture_filter.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/files.h"
#include "tools/payload_warnings.h"
#include "tools/progress.h"
#include "tools/report_errors.h"
#include "tools/run/device.h"
#include "tools/run/execute.h"
#include "tools/run/expectation.h"
#include "tools/run/limits.h"
#include "tools/run/outputs.h"
#include "tools/run/payloads.h"
#include "tools/run/program.h"
#include "tools/run/report.h"
#include "tools/run/work.h"

namespace millrace::tools {

namespace {

using namespace millrace::tools::run;

struct Arguments {
    std::string file;
    std::string device;
    std::string scratch;
    std::string form;
    std::string check;
    std::string folder = ".";
    std::string trace;
    std::string traceDetail;
    std::vector<std::string> show;
    uint32_t repeats = 1;
    bool validate = false;
    bool asJson = false;
};

constexpr std::array<std::string_view, 2> kTraceDetails = {"steps", "nodes"};

std::optional<uint64_t> parseBytes(const std::string& text)
{
    uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    return error == std::errc() && end == text.data() + text.size() && bytes > 0 ? std::optional(bytes) : std::nullopt;
}

ExecutionOptions executionOptions(const Arguments& arguments, const GraphDescription& description)
{
    ExecutionOptions options;
    options.repeats = arguments.repeats;
    options.form = parseForm(arguments.form);
    std::string scratch = arguments.scratch;
    if (scratch.empty() && description.scratch) {
        const Json& json = description.scratch->json();
        scratch = json.is_string() ? json.get<std::string>() : json.dump();
    }
    options.leastScratch = scratch == "min";
    options.scratchBytes = parseBytes(scratch);
    return options;
}

// Adds to what the user enables.
void enableMeshNodes()
{
    constexpr const char* kEnable = "VK_MILLRACE_EMULATION_ENABLE";
    const char* const given = std::getenv(kEnable);
    const std::string before = given != nullptr && *given != '\0' ? std::string(given) + ", " : "";
    setenv(kEnable, (before + "mesh_nodes, mesh_shaders").c_str(), 1);
}

// What the layer is to do besides; the environment is what it asks first. Throws DeviceError.
void setUpLayer(const Arguments& arguments, const Program& program)
{
    if (program.draws())
        enableMeshNodes();
    if (!arguments.trace.empty()) {
        if (const Status made = makeFile(arguments.trace, ""); !made)
            throw DeviceError("the trace: " + made.error().text());
        setenv("VK_MILLRACE_EMULATION_TRACE", arguments.trace.c_str(), 1);
    }
    if (!arguments.traceDetail.empty())
        setenv("VK_MILLRACE_EMULATION_TRACE_DETAIL", arguments.traceDetail.c_str(), 1);
}

std::vector<std::string_view> nodeNames(const Program& program)
{
    std::vector<std::string_view> names;
    for (const ProgramNode& node : program.nodes)
        names.push_back(node.declared.id.name);
    return names;
}

// What is wrong with the condition; empty if nothing is.
std::string checkCondition(const runtime::CaptureFilter& filter, const ProgramNode& node)
{
    if (filter.member.empty())
        return "";
    const auto member = runtime::findCaptureMember(node.payload, node.declared.payloadBytes, filter.member);
    if (!member)
        return "the payload of '" + filter.node + "' " + member.error().message;
    uint8_t bytes[8] = {};
    const auto problem = data::scalarFromText(*member->scalar, filter.value, bytes);
    return problem ? "member \"" + filter.member + "\" of '" + filter.node + "': " + *problem : "";
}

// Throws DeviceError unless a node is as the filter wants it.
void checkFilter(const runtime::CaptureFilter& filter, const Program& program)
{
    std::string problem;
    bool isThere = false;
    for (const ProgramNode& node : program.nodes) {
        if (node.declared.id.name != filter.node ||
            filter.index.value_or(node.declared.id.index) != node.declared.id.index)
            continue;
        problem = checkCondition(filter, node);
        if (problem.empty())
            return;
        isThere = true;
    }
    if (!isThere) {
        problem = "the graph has no node \"" + filter.node + "\"" +
                  (filter.index ? " with index " + std::to_string(*filter.index) : "");
        const std::vector<std::string_view> names = nodeNames(program);
        if (std::ranges::find(names, filter.node) == names.end())
            problem += suggestion(filter.node, names);
    }
    throw DeviceError("--show: " + problem);
}

// What the user wants to see, for the layer. Throws DeviceError if the graph has no such node, or that no such member.
std::string captureFilters(const Arguments& arguments, const Program& program)
{
    std::string all;
    for (const std::string& text : arguments.show) {
        const Result<std::vector<runtime::CaptureFilter>> filters = settings::parseCaptureFilters(text);
        for (const runtime::CaptureFilter& filter : *filters)
            checkFilter(filter, program);
        all += (all.empty() ? "" : "; ") + text;
    }
    return all;
}

// The layer writes payloads to a file, and here is where.
class CaptureFile {
public:
    explicit CaptureFile(const std::string& filters)
    {
        if (filters.empty())
            return;
        m_path = (std::filesystem::temp_directory_path() / "millrace-show-XXXXXX.json").string();
        const int file = mkstemps(m_path.data(), 5);
        if (file < 0)
            throw DeviceError("cannot make a file for payloads in " + m_path);
        close(file);
        setenv("VK_MILLRACE_EMULATION_CAPTURE", filters.c_str(), 1);
        setenv("VK_MILLRACE_EMULATION_CAPTURE_FILE", m_path.c_str(), 1);
    }
    ~CaptureFile()
    {
        if (!m_path.empty()) {
            std::error_code error;
            std::filesystem::remove(m_path, error);
        }
    }
    CaptureFile(const CaptureFile&) = delete;
    CaptureFile& operator=(const CaptureFile&) = delete;

    Json read() const
    {
        std::ifstream file(m_path);
        Json out = Json::parse(file, nullptr, false);
        return out.is_array() ? out : Json::array();
    }

private:
    std::string m_path;
};

int reportError(const Json& error, const std::string& text, const std::vector<Message>& messages, bool asJson)
{
    if (asJson) {
        const Json out{{"errors", Json::array({error})}, {"messages", messagesJson(messages)}};
        std::cout << out.dump(2) << "\n";
    }
    return fail(printableLines(text));
}

// Everything that can be wrong in files is found before the device is touched.
class Run {
public:
    explicit Run(const Arguments& arguments)
        : m_arguments(arguments),
          m_document(Document::read(arguments.file)),
          m_description(readDescription(m_document)),
          m_program(load(m_description)),
          m_work(prepareWork(m_description, m_program))
    {
        std::cerr << m_program.warnings;
        warnOfPayloads();
        for (const std::string& warning : m_work.warnings)
            warn(printable(m_document.file() + ": " + warning));
        checkOutputs(m_work);
        if (!arguments.check.empty())
            m_expectations = readExpectations(Document::read(arguments.check), m_work);
    }

    int operator()(std::unique_ptr<Instance>& instance)
    {
        setUpLayer(m_arguments, m_program);
        const CaptureFile captured(captureFilters(m_arguments, m_program));
        instance = std::make_unique<Instance>(m_arguments.validate);
        Report report;
        {
            const Device device(*instance, m_arguments.device.empty() ? m_description.device : m_arguments.device,
                                m_program.draws());
            report.device = device.properties().deviceName;
            report.driver = device.driver();
            report.isEmulated = device.isEmulated();
            if ((!m_arguments.trace.empty() || !m_arguments.show.empty()) && !device.isEmulated()) {
                throw DeviceError(
                    "--trace and --show see graphs that Millrace runs, and here the driver runs them; setting "
                    "force_enable has Millrace run them");
            }
            checkLimits(*instance, device, m_program, m_work);
            for (Dispatch& dispatch : m_work.dispatches)
                std::ranges::for_each(dispatch.launches, repeatPayloads);
            const Progress progress("running");
            report.execution =
                execute(*instance, device, m_program, m_work, executionOptions(m_arguments, m_description));
        }
        report.files = writeOutputs(m_work, m_arguments.folder);
        if (!m_arguments.trace.empty())
            report.files.push_back({"trace", m_arguments.trace});
        report.checked = m_expectations.size();
        for (const Expectation& expectation : m_expectations)
            if (auto difference = compare(expectation, m_work.resources[expectation.resource]))
                report.differences.push_back(std::move(*difference));
        if (!m_arguments.show.empty())
            report.shown = captured.read();
        report.messages = instance->messages();
        if (m_arguments.asJson)
            std::cout << reportJson(report, m_work).dump(2) << "\n";
        else
            printReport(std::cout, report, m_work);
        for (const Difference& difference : report.differences)
            (void)fail(printable(difference.text()));
        const bool hasErrors = std::ranges::any_of(report.messages, &Message::isError);
        return hasErrors || !report.differences.empty() ? 1 : 0;
    }

private:
    static Program load(const GraphDescription& description)
    {
        const Progress progress("compiling");
        return loadProgram(description);
    }

    void warnOfPayloads() const
    {
        std::vector<NodeCode> codes;
        for (const ProgramNode& node : m_program.nodes)
            codes.push_back({node.declared.id.name, &node.words, node.entryPoint});
        for (const std::string& warning : payloadWarnings(codes))
            warn(printable(m_document.file() + ": " + warning));
    }

    const Arguments& m_arguments;
    Document m_document;
    GraphDescription m_description;
    Program m_program;
    Work m_work;
    std::vector<Expectation> m_expectations;
};

int runGraph(const Arguments& arguments)
{
    std::unique_ptr<Instance> instance;
    const auto messages = [&] { return instance ? instance->messages() : std::vector<Message>(); };
    try {
        return Run(arguments)(instance);
    } catch (const InputError& error) {
        return reportError(errorJson(error), error.text(), messages(), arguments.asJson);
    } catch (const DeviceError& error) {
        const Json json{{"source", "device"}, {"where", ""}, {"message", printableLines(error.what())}};
        return reportError(json, error.what(), messages(), arguments.asJson);
    } catch (const std::bad_alloc&) {
        const std::string file = inputName(arguments.file);
        const std::string text = "what " + file + " asks for does not fit into memory";
        const Json json{{"source", printable(file)}, {"where", ""}, {"message", printable(text)}};
        return reportError(json, text, messages(), arguments.asJson);
    }
}

}  // namespace

Command addRun(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("run", "Run an execution graph that a JSON file describes");
    command->footer(
        "The file has nodes in GLSL or SPIR-V, buffers and images with their contents, payloads and push constants;\n"
        "docs/run.md explains it. The tool enables Millrace's layer, which it finds beside itself or installed.\n"
        "The exit status is 1 as well if a result is not as expected or a layer reports an error.\n"
        "\n"
        "Examples:\n"
        "  millrace run examples/first_graph/graph.json\n"
        "  millrace run graph.json --check expected.json --repeat 10 --json\n"
        "  ./make_graph.py | millrace run -");
    command
        ->add_option("graph", arguments->file,
                     "JSON: nodes, buffers, images, dispatches; - for standard input, where files are named "
                     "from the current folder")
        ->type_name("FILE")
        ->required();
    command->add_option("-o,--output-folder", arguments->folder, "where outputs go; is made if it is not there")
        ->check([](const std::string& text) {
            std::error_code error;
            const bool isOther = std::filesystem::exists(text, error) && !std::filesystem::is_directory(text, error);
            return isOther ? "\"" + text + "\" is no folder" : std::string();
        })
        ->type_name("FOLDER")
        ->capture_default_str();
    command->add_option("--check", arguments->check, "JSON file with the results that are expected")->type_name("FILE");
    command->add_option("--device", arguments->device, "the device with this in its name, or of this number")
        ->type_name("TEXT");
    command->add_option("--scratch", arguments->scratch, "size of the scratch memory: min, max or bytes")
        ->check([](const std::string& text) {
            constexpr std::array<std::string_view, 2> kWords = {"min", "max"};
            const bool isKnown = std::ranges::find(kWords, text) != kWords.end() || parseBytes(text);
            return isKnown ? std::string() : "\"" + text + "\" is not min, max or bytes" + suggestion(text, kWords);
        })
        ->type_name("SIZE");
    command->add_option("--form", arguments->form, "command that all dispatches use")
        ->check([](const std::string& text) { return noneOf(text, kFormNames); })
        ->type_name("host|indirect|indirect-count");
    command->add_option("--repeat", arguments->repeats, "runs, each from the initial contents")
        ->check(CLI::Range(1u, 1000000u))
        ->type_name("COUNT")
        ->capture_default_str();
    command
        ->add_option("--trace", arguments->trace,
                     "write what every step did: for Perfetto if it ends in .json, else for 'millrace report'")
        ->type_name("FILE");
    command->add_option("--trace-detail", arguments->traceDetail, "run the nodes of a level together, or one by one")
        ->check([](const std::string& text) { return noneOf(text, kTraceDetails); })
        ->needs("--trace")
        ->type_name("steps|nodes");
    auto* show =
        command->add_option("--show", arguments->show,
                            "print payloads that a node receives; behind its name there may be an index, \"level "
                            "2\", \"first 10\", \"where member > 3\"; may be repeated");
    show->type_name("NODE");
    show->expected(1)->take_all()->allow_extra_args(false)->check([](const std::string& text) {
        const auto filters = settings::parseCaptureFilters(text);
        return !filters ? filters.error().text() : filters->empty() ? std::string("the name of a node is missing") : "";
    });
    command->add_flag("--validate", arguments->validate,
                      "use the validation layer and Millrace's own checks of valid usage");
    command->add_flag("--json", arguments->asJson, "write JSON instead of text");
    return [arguments] { return runGraph(*arguments); };
}

}  // namespace millrace::tools
