// SPDX-License-Identifier: Apache-2.0
// `millrace compile`: a node shader in GLSL to a module of SPV_AMDX_shader_enqueue.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "glsl/compile.h"
#include "spirv/tools.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/declared_node.h"
#include "tools/files.h"
#include "tools/graph/node_json.h"
#include "tools/progress.h"
#include "tools/report_errors.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::vector<std::string> inputs;
    std::string output;
    std::string dependencyFile;
    std::vector<std::string> includeFolders;
    std::vector<std::string> definitions;
    bool debugInformation = false;
    bool asText = false;
    bool asJson = false;
};

using Json = nlohmann::ordered_json;

// A folder, or what several modules have to go to.
bool isFolder(const Arguments& arguments)
{
    std::error_code error;
    return !arguments.output.empty() && arguments.output != "-" &&
           (arguments.inputs.size() > 1 || arguments.output.ends_with('/') ||
            std::filesystem::is_directory(arguments.output, error));
}

std::string outputPath(const Arguments& arguments, const std::string& input)
{
    const std::filesystem::path beside =
        std::filesystem::path(input).replace_extension(arguments.asText ? ".spvasm" : ".spv");
    if (isFolder(arguments))
        return (arguments.output / beside.filename()).string();
    if (!arguments.output.empty())
        return arguments.output;
    return arguments.asText ? "-" : beside.string();
}

int writeOutput(const Arguments& arguments, const std::string& input, const spirv::Words& words)
{
    std::string content(reinterpret_cast<const char*>(words.data()), words.size() * 4);
    if (arguments.asText) {
        const auto text = spirv::disassemble(words);
        if (!text)
            return fail(text.error().text());
        content = *text;
    }
    return writeFile(outputPath(arguments, input), content);
}

// As make and Ninja read them.
std::string escapedForMake(const std::string& path)
{
    std::string out;
    for (const char c : path) {
        if (c == ' ' || c == '#')
            out += '\\';
        else if (c == '$')
            out += '$';
        out += c;
    }
    return out;
}

// A rule of make: the output needs the input and what it includes.
int writeDependencies(const Arguments& arguments, const std::string& input, const std::vector<std::string>& included)
{
    std::string rule = escapedForMake(outputPath(arguments, input)) + ": " + escapedForMake(input);
    for (const std::string& file : included)
        rule += " \\\n  " + escapedForMake(file);
    return writeFile(arguments.dependencyFile, rule + "\n");
}

Json resultJson(const Arguments& arguments, const std::string& input, const glsl::Compiled& compiled)
{
    nodes::Options options;
    options.request.entryPoint = compiled.entryPoint;
    const Result<graph::Node> node = declaredNode(
        compiled.words, options, isMeshNode(nodes::SourceModule(compiled.words), options.request.entryPoint));
    Json warnings = compilerMessagesJson(compiled.warnings, "warning");
    if (!node) {
        warnings.push_back({{"source", printable(inputName(input))},
                            {"where", printable(node.error().where)},
                            {"message", printable(node.error().message)}});
    }
    return {{"output", printable(outputPath(arguments, input))},
            {"node", node ? Json(nodeJson(*node)) : Json(nullptr)},
            {"warnings", warnings},
            {"errors", Json::array()}};
}

glsl::Options optionsOf(const Arguments& arguments)
{
    glsl::Options options;
    options.includeFolders = arguments.includeFolders;
    options.debugInformation = arguments.debugInformation;
    for (const std::string& text : arguments.definitions) {
        const size_t equals = text.find('=');
        options.definitions.emplace_back(text.substr(0, equals),
                                         equals == std::string::npos ? "1" : text.substr(equals + 1));
    }
    return options;
}

// What is wrong with a file, on standard error and for JSON.
int reportProblem(const Diagnostic& error, Json& result)
{
    result = {{"errors", errorsJson({error})}};
    return fail(printable(error.text()));
}

bool isGlsl(const std::string& file)
{
    return file.ends_with(".glsl") || file.ends_with(".comp") || file.ends_with(".mesh");
}

int compileFile(const Arguments& arguments, const std::string& input, Json& result)
{
    std::string source;
    const std::string name = inputName(input);
    if (const Status read = readInput(input, source); !read)
        return reportProblem({name, "", withReason("cannot read the file", read)}, result);
    const auto compiled = glsl::compile(source, name, optionsOf(arguments));
    if (!compiled) {
        // In the form of compilers, with file and line.
        std::cerr << compiled.error().text() << "\n";
        if (const std::string other = isGlsl(input) ? "" : whatTakes(input); !other.empty())
            warn(printable(input + ": GLSL is expected" + other));
        result = {{"errors", compilerMessagesJson(compiled.error().text(), "error")}};
        return 1;
    }
    std::cerr << compiled->warnings;
    const Status status = compiled->hasPayloadAtomics ? Status() : spirv::validate(compiled->words);
    if (!status)
        return reportProblem({name, "", "the module is not valid: " + status.error().text()}, result);
    if (const int written = writeOutput(arguments, input, compiled->words); written != 0) {
        result = {{"errors", errorsJson({{name, "", "cannot write " + outputPath(arguments, input)}})}};
        return written;
    }
    if (!arguments.dependencyFile.empty()) {
        if (const int written = writeDependencies(arguments, input, compiled->includedFiles); written != 0) {
            result = {{"errors", errorsJson({{name, "", "cannot write " + arguments.dependencyFile}})}};
            return written;
        }
    }
    if (arguments.asJson)
        result = resultJson(arguments, input, *compiled);
    return 0;
}

// All files, also where one is wrong. Of several, JSON has a list of what it has of one.
int compile(const Arguments& arguments)
{
    int status = 0;
    Json results = Json::array();
    Json errors = Json::array();
    for (const std::string& input : arguments.inputs) {
        Json& result = results.emplace_back();
        const Progress progress("compiling " + printable(input));
        status = std::max(status, compileFile(arguments, input, result));
        if (arguments.asJson)
            errors.insert(errors.end(), result["errors"].begin(), result["errors"].end());
    }
    if (arguments.asJson)
        std::cout << (results.size() == 1 ? results[0] : Json{{"files", results}, {"errors", errors}}).dump(2) << "\n";
    return status;
}

}  // namespace

Command addCompile(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("compile", "Compile node shaders in GLSL (docs/glsl.md) to SPIR-V");
    command->footer(
        "Errors have the form of compilers: FILE:LINE:COLUMN: error: MESSAGE, and the line of the source.\n"
        "\n"
        "Examples:\n"
        "  millrace compile node.comp -o node.spv\n"
        "  millrace compile -g -I include -D ROWS=8 node.comp\n"
        "  millrace compile start.comp add.comp -o build/shaders");
    command->add_option("input", arguments->inputs, "GLSL, - for standard input")->required()->type_name("FILE");
    command
        ->add_option("-o,--output", arguments->output,
                     "where to write the result, - for standard output; a folder if it is one, or for several inputs; "
                     "default: the input with .spv")
        ->type_name("FILE");
    command->add_option("-I,--include", arguments->includeFolders, "folder that #include looks in; may be repeated")
        ->type_name("FOLDER")
        ->allow_extra_args(false);
    command->add_option("-D,--define", arguments->definitions, "a macro; may be repeated")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
    command
        ->add_option("--depfile", arguments->dependencyFile,
                     "write a rule of make with the files that the result depends on")
        ->type_name("FILE");
    command->add_flag("-g", arguments->debugInformation, "keep source text and line numbers");
    command->add_flag("--asm", arguments->asText, "write text, to standard output unless -o says otherwise");
    command->add_flag("--json", arguments->asJson,
                      "write errors, warnings and what linking knows of the node to standard output");
    command->callback([arguments] {
        const bool toOutput = outputPath(*arguments, arguments->inputs.front()) == "-";
        if (toOutput && arguments->inputs.size() > 1)
            throw CLI::ValidationError("compile", "several results cannot go to standard output; say -o FOLDER");
        if (!arguments->dependencyFile.empty() && (toOutput || arguments->inputs.size() > 1))
            throw CLI::ValidationError("--depfile", "says what one file depends on; give one input and -o FILE");
        if (arguments->asJson && toOutput)
            throw CLI::ValidationError("--json", "the result goes to standard output already; say -o FILE");
        const bool readsInput = std::ranges::find(arguments->inputs, "-") != arguments->inputs.end();
        if (readsInput && (isFolder(*arguments) || outputPath(*arguments, "-") == "-.spv"))
            throw CLI::ValidationError("compile", "standard input has no name to make one of; say -o FILE");
        if (readsInput && !arguments->dependencyFile.empty())
            throw CLI::ValidationError("--depfile", "no file depends on standard input");
        std::set<std::string> outputs;
        for (const std::string& input : arguments->inputs) {
            if (!outputs.insert(outputPath(*arguments, input)).second)
                throw CLI::ValidationError("compile", "two results would go to " + outputPath(*arguments, input));
        }
    });
    return [arguments] { return compile(*arguments); };
}

}  // namespace millrace::tools
