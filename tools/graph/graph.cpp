// SPDX-License-Identifier: Apache-2.0
// `millrace graph`: links node shaders as a graph pipeline would, says what is wrong or what follows, and draws it.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "glsl/compile.h"
#include "graph/diagnose.h"
#include "nodes/compile.h"
#include "nodes/fuse_graph.h"
#include "nodes/source_module.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/declared_node.h"
#include "tools/files.h"
#include "tools/graph/draw.h"
#include "tools/graph/report.h"
#include "tools/modules.h"
#include "tools/payload_warnings.h"
#include "tools/progress.h"
#include "tools/report_errors.h"
#include "tools/run/program.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::vector<std::string> files;
    std::vector<std::string> nodes;
    std::string drawing;
    uint32_t maxScratchMib = 256;
    bool asJson = false;
};

// A shader stage of the graph pipeline.
struct Stage {
    std::string file;
    std::string entryPoint;  // empty: all of the module
    NodeName node;           // empty name: what the shader says
};

// "NAME[:INDEX]=FILE[@ENTRY]".
bool parseStage(const std::string& text, Stage& stage)
{
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        return false;
    stage.node = parseNodeName(std::string_view(text).substr(0, equals));
    stage.file = text.substr(equals + 1);
    const size_t at = stage.file.rfind('@');
    std::error_code error;
    if (at != std::string::npos && at > 0 && !std::filesystem::exists(stage.file, error)) {
        stage.entryPoint = stage.file.substr(at + 1);
        stage.file.resize(at);
    }
    return !stage.node.name.empty();
}

enum class Language { Spirv, Glsl, Json };

// By the ending of the file's name. Standard input has none: JSON begins with a brace, and GLSL with a letter in lower
// case, a directive or a comment, as no module does.
Language languageOf(const std::string& file)
{
    if (file != "-") {
        const std::string ending = std::filesystem::path(file).extension().string();
        const bool isGlsl = ending == ".comp" || ending == ".mesh" || ending == ".glsl";
        return ending == ".json" ? Language::Json : isGlsl ? Language::Glsl : Language::Spirv;
    }
    std::string content;
    (void)readInput(file, content);
    const std::string_view text = withoutByteOrderMark(content);
    const size_t first = text.find_first_not_of(" \t\r\n");
    const char begin = first == std::string_view::npos ? '\0' : text[first];
    const bool isGlsl = begin == '#' || begin == '/' || (begin >= 'a' && begin <= 'z');
    return begin == '{' ? Language::Json : isGlsl ? Language::Glsl : Language::Spirv;
}

// Compiles the nodes one after the other and keeps what is wrong with each.
class Loader {
public:
    // The nodes of what `millrace run` takes, as that would make them.
    void addGraph(const std::string& file)
    {
        try {
            const run::Document document = run::Document::read(file);
            const run::GraphDescription description = run::readDescription(document);
            const run::Program program = run::loadProgram(description);
            std::cerr << program.warnings;
            for (const run::ProgramNode& node : program.nodes) {
                nodes::Options options;
                options.request.entryPoint = node.entryPoint;
                options.request.nodeName = node.name;
                options.request.shaderIndex = node.index;
                options.request.specialization = node.specialization;
                compile(node.file, options, Module(node.words),
                        std::to_string(node.description) + "@" + node.entryPoint);
            }
        } catch (const run::InputError& error) {
            errors.add(error);
        }
    }

    void add(const Stage& stage)
    {
        const Module* module = findModule(stage.file);
        if (module == nullptr)
            return;
        std::vector<std::string> entryPoints = {stage.entryPoint};
        if (stage.entryPoint.empty()) {
            entryPoints = module->source.entryPoints(spv::ExecutionModel::GLCompute);
            std::ranges::copy(module->source.entryPoints(spv::ExecutionModel::MeshEXT),
                              std::back_inserter(entryPoints));
        }
        if (stage.entryPoint.empty() && !stage.node.name.empty() && entryPoints.size() > 1) {
            errors.add(Diagnostic{inputName(stage.file), "",
                                  "has " + std::to_string(entryPoints.size()) +
                                      " entry points of nodes; choose one of them for node '" + stage.node.name +
                                      "' with FILE@ENTRY"});
            return;
        }
        if (entryPoints.empty()) {
            // Says what is wrong with the module, if it is not just that.
            entryPoints.emplace_back("main");
        }
        for (const std::string& entryPoint : entryPoints) {
            nodes::Options options;
            options.request.entryPoint = entryPoint;
            if (!stage.node.name.empty())
                options.request.nodeName = stage.node.name;
            options.request.shaderIndex = stage.node.index;
            if (languageOf(stage.file) != Language::Glsl)  // whose compiler has said it
                std::cerr << codeWarnings(module->source, entryPoint, stage.file);
            compile(stage.file, std::move(options), *module, entryPoint);
        }
    }

    std::vector<graph::Node> nodes;
    std::vector<nodes::FusableNode> sources;  // per node
    std::vector<spirv::SharedWords> shaders;  // likewise: as they were loaded, or what each needs of that
    std::vector<std::string> files;           // likewise
    ErrorList errors;

private:
    // Of a file. Read once for all nodes that are entry points of it.
    struct Module {
        explicit Module(spirv::Words code)
            : words(std::make_shared<const spirv::Words>(std::move(code))), source(*words)
        {
        }

        const spirv::SharedWords words;
        const nodes::SourceModule source;
    };

    void compileSource(const std::string& file, spirv::Words& words)
    {
        std::string source;
        if (const Status read = readInput(file, source); !read) {
            errors.add(Diagnostic{inputName(file), "", withReason("cannot read the file", read)});
            return;
        }
        auto compiled = glsl::compile(source, inputName(file), {});
        if (!compiled) {
            errors.addOfCompiler(compiled.error().text());
            return;
        }
        std::cerr << compiled->warnings;
        words = std::move(compiled->words);
    }

    // Null if there is none, which is told once.
    const Module* findModule(const std::string& file)
    {
        const auto [found, isNew] = m_modules.try_emplace(file);
        if (!isNew)
            return found->second.get();
        spirv::Words code;
        if (languageOf(file) == Language::Glsl) {
            compileSource(file, code);
        } else {
            Result<spirv::Words> words = readModule(file);
            if (words)
                code = std::move(*words);
            else
                errors.add(words.error());
        }
        if (!code.empty())
            found->second = std::make_unique<const Module>(std::move(code));
        return found->second.get();
    }

    // `code`: what else than the file tells code from other code.
    void compile(const std::string& file, nodes::Options options, const Module& module, const std::string& code)
    {
        // Where push constants go is for the pipeline layout to say, which is not known here.
        options.request.pushConstantsInMemory = true;
        const std::string entryPoint = options.request.entryPoint;
        Status status = isMeshNode(module.source, entryPoint) ? compileMesh(file, options, module, code)
                                                              : prepare(file, options, module, code);
        if (!status) {
            const Diagnostic& error = status.error();
            errors.add(Diagnostic{inputName(file), error.where,
                                  "entry point '" + entryPoint + "': " + error.component + ": " + error.message});
            return;
        }
        files.push_back(inputName(file));
    }

    Status compileMesh(const std::string& file, const nodes::Options& options, const Module& module,
                       const std::string& code)
    {
        const auto alone = module.source.extract(options.request.entryPoint, spv::ExecutionModel::MeshEXT);
        if (!alone)
            return alone.error();
        const Module shader(spirv::write(*alone));
        auto collector = collectorOf(*shader.words, options);
        if (!collector)
            return collector.error();
        const Status status = prepare(file, collector->options, Module(std::move(collector->words)), code);
        if (status) {
            nodes.back() = nodes::asMeshNode(std::move(nodes.back()), collector->declared);
            shaders.back() = shader.words;
        }
        return status;
    }

    Status prepare(const std::string& file, const nodes::Options& options, const Module& module,
                   const std::string& code)
    {
        auto prepared = nodes::prepare(module.source, options);
        const auto lowered = prepared ? nodes::lower(*prepared, options) : prepared.error();
        if (lowered) {
            const size_t number = m_codes.try_emplace({file, code}, m_codes.size()).first->second;
            nodes.push_back(prepared->node);
            const spirv::SharedWords words = prepared->words ? prepared->words : module.words;
            sources.push_back({words, options, std::move(*prepared), number});
            shaders.push_back(words);
        }
        return lowered ? Status() : lowered.error();
    }

    std::map<std::string, std::unique_ptr<const Module>> m_modules;
    std::map<std::pair<std::string, std::string>, size_t> m_codes;  // by file and what compile() has
};

void load(const Arguments& arguments, Loader& loader)
{
    Progress progress("compiling", arguments.files.size() + arguments.nodes.size());
    for (const std::string& file : arguments.files) {
        if (languageOf(file) == Language::Json)
            loader.addGraph(file);
        else
            loader.add({file, "", {}});
        progress.advance();
    }
    for (const std::string& text : arguments.nodes) {
        Stage stage;
        (void)parseStage(text, stage);
        loader.add(stage);
        progress.advance();
    }
}

Result<std::string> draw(const GraphReport& report)
{
    const Progress progress("drawing");
    return drawGraph(report);
}

// Linking reports it as well, but knows no files.
void findDuplicates(Loader& loader)
{
    std::map<graph::NodeId, size_t> known;
    for (size_t n = 0; n < loader.nodes.size(); ++n) {
        const auto [found, isNew] = known.try_emplace(loader.nodes[n].declared.id, n);
        if (!isNew) {
            loader.errors.add(Diagnostic{"graph", "node " + graph::nameOf(loader.nodes[n].declared.id),
                                         "two nodes have this name and index, from " + loader.files[found->second] +
                                             " and " + loader.files[n] + " (VUID 09134)"});
        }
    }
}

int writeDrawing(const GraphReport& report, const std::string& path)
{
    const Result<std::string> svg = draw(report);
    return svg ? writeFile(path, *svg) : fail(svg.error().text());
}

int writeReport(const Arguments& arguments, const GraphReport& report)
{
    if (arguments.asJson)
        std::cout << reportJson(report).dump(2) << "\n";
    else if (arguments.drawing != "-")
        printReport(std::cout, report);
    for (const std::string& warning : report.groups.warnings)
        warn(warning);
    return arguments.drawing.empty() ? 0 : writeDrawing(report, arguments.drawing);
}

int runGraph(const Arguments& arguments)
{
    Loader loader;
    load(arguments, loader);
    findDuplicates(loader);
    if (!loader.errors.empty())
        return loader.errors.report(arguments.asJson);
    std::vector<NodeCode> codes;
    for (size_t n = 0; n < loader.nodes.size(); ++n)
        codes.push_back(
            {loader.nodes[n].declared.id.name, loader.shaders[n].get(), loader.nodes[n].declared.entryPoint});
    std::vector<std::string> warnings = payloadWarnings(codes);
    Result<graph::Graph> linked = graph::link(std::move(loader.nodes));
    if (!linked)
        return reportErrors({linked.error()}, arguments.asJson);
    GraphReport report{std::move(*linked), {}, {}, std::move(loader.files), {}, {}};
    const auto fused = nodes::fuseGraph(loader.sources, report.graph, false, report.fusion);
    if (!fused)
        return reportErrors({fused.error()}, arguments.asJson);
    for (uint32_t n = 0; n < report.graph.nodes.size(); ++n)
        report.leaves.push_back(fused->areLeaves(n));
    report.groups = groupNodes(report.graph);
    for (std::string& warning : warnings)
        report.groups.warnings.push_back(std::move(warning));
    report.scratch = graph::scratchSizes(report.graph, uint64_t(arguments.maxScratchMib) << 20);
    return writeReport(arguments, report);
}

}  // namespace

Command addGraph(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("graph", "Check node shaders as one graph, list them, and draw the graph");
    command->footer(
        "A node that is added with --node has this name, and index, in place of the shader's own. If a rule of\n"
        "VK_AMDX_shader_enqueue is broken, the message names node, output and rule.\n"
        "\n"
        "Examples:\n"
        "  millrace graph examples/koch/graph.json -o koch.svg\n"
        "  millrace graph shade.comp classify.spv -o graph.svg\n"
        "  millrace graph start.spv --node tile:0=tile.spv --node tile:1=tile.spv@other --json");
    auto* files = command->add_option("file", arguments->files,
                                      "GLSL (.comp, .mesh, .glsl), SPIR-V, of which all compute and mesh entry points "
                                      "are nodes, or a graph.json; - for standard input");
    files->type_name("FILE");
    auto* nodes = command->add_option("--node", arguments->nodes, "a node under this name; may be repeated");
    nodes->type_name("NAME[:INDEX]=FILE[@ENTRY]");
    nodes->expected(1)->take_all()->allow_extra_args(false)->check([](const std::string& text) {
        Stage stage;
        return parseStage(text, stage) ? std::string() : "\"" + text + "\" is not NAME[:INDEX]=FILE[@ENTRY]";
    });
    command
        ->add_option("-o,--output", arguments->drawing, "draw the graph as SVG into this file, - for standard output")
        ->type_name("FILE");
    auto* json = command->add_flag("--json", arguments->asJson, "write JSON instead of the table");
    command->add_option("--max-scratch-mib", arguments->maxScratchMib, "what the largest scratch size aims at")
        ->type_name("MIB")
        ->capture_default_str();
    command->callback([=] {
        if (files->count() + nodes->count() == 0)
            throw CLI::RequiredError("graph: a file or --node");
        if (json->count() > 0 && arguments->drawing == "-")
            throw CLI::ValidationError("--json and -o - both write to standard output");
        const std::string ending = std::filesystem::path(arguments->drawing).extension().string();
        if (!ending.empty() && ending != ".svg")
            throw CLI::ValidationError("--output: drawings are SVG, and the file's name ends in \"" + ending + "\"");
    });
    return [arguments] { return runGraph(*arguments); };
}

}  // namespace millrace::tools
