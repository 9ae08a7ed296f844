// SPDX-License-Identifier: Apache-2.0
// `millrace compile`: a node shader in GLSL to a module of SPV_AMDX_shader_enqueue.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "compiler/compile.h"
#include "glsl/compile.h"
#include "spirv/tools.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/files.h"
#include "tools/graph/node_json.h"
#include "tools/progress.h"
#include "tools/report_errors.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::string input;
    std::string output;
    std::vector<std::string> includeFolders;
    std::vector<std::string> definitions;
    bool debugInformation = false;
    bool asText = false;
    bool asJson = false;
};

using Json = nlohmann::ordered_json;

std::string outputPath(const Arguments& arguments)
{
    if (!arguments.output.empty()) {
        return arguments.output;
    }
    return arguments.asText ? "-" : std::filesystem::path(arguments.input).replace_extension(".spv").string();
}

int writeOutput(const Arguments& arguments, const spirv::Words& words)
{
    std::string content(reinterpret_cast<const char*>(words.data()), words.size() * 4);
    if (arguments.asText) {
        const auto text = spirv::disassemble(words);
        if (!text) {
            return fail(text.error().text());
        }
        content = *text;
    }
    return writeFile(outputPath(arguments), content);
}

// Takes ":NUMBER" off the end of what stands in front of a message; 0: there is none.
size_t takeNumber(std::string& place)
{
    const size_t colon = place.rfind(':');
    const std::string number = colon == std::string::npos ? "" : place.substr(colon + 1);
    if (number.empty() || number.size() > 9 || !std::ranges::all_of(number, isdigit)) {
        return 0;
    }
    place.resize(colon);
    return std::stoul(number);
}

// Lines "FILE:LINE:COLUMN: error: REASON", in the form of all commands and with the place in numbers.
Json messagesJson(const std::string& lines, const std::string& severity)
{
    Json list = Json::array();
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("    ")) {  // of the source
            continue;
        }
        const std::string mark = ": " + severity + ": ";
        const size_t end = line.find(mark);
        if (end == std::string::npos) {
            list.push_back({{"source", "compile"}, {"where", ""}, {"message", printable(line)}});
            continue;
        }
        std::string place = line.substr(0, end);
        const size_t last = takeNumber(place);
        const size_t before = takeNumber(place);
        const size_t number = before > 0 ? before : last;
        list.push_back({{"source", printable(place)},
                        {"where", number > 0 ? "line " + std::to_string(number) : ""},
                        {"message", printable(line.substr(end + mark.size()))}});
        if (number > 0) {
            list.back()["line"] = number;
        }
        if (before > 0) {
            list.back()["column"] = last;
        }
    }
    return list;
}

int writeJson(const Arguments& arguments, const glsl::Compiled& compiled)
{
    compiler::Options options;
    options.entryPoint = compiled.entryPoint;
    const auto lowered = compiler::compile(compiled.words, options);
    Json warnings = messagesJson(compiled.warnings, "warning");
    if (!lowered) {
        warnings.push_back({{"source", printable(arguments.input)},
                            {"where", printable(lowered.error().where)},
                            {"message", printable(lowered.error().message)}});
    }
    std::cout << Json{{"output", printable(outputPath(arguments))},
                      {"node", lowered ? Json(nodeJson(lowered->node)) : Json(nullptr)},
                      {"warnings", warnings},
                      {"errors", Json::array()}}
                     .dump(2)
              << "\n";
    return 0;
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

int compile(const Arguments& arguments)
{
    std::string source;
    if (const Status read = readInputFile(arguments.input, source); !read) {
        return reportErrors({{arguments.input, "", withReason("cannot read the file", read)}}, arguments.asJson);
    }
    const auto compiled = [&] {
        const Progress progress("compiling");
        return glsl::compile(source, arguments.input, optionsOf(arguments));
    }();
    if (!compiled) {
        // In the form of compilers, with file and line.
        std::cerr << compiled.error().text() << "\n";
        if (arguments.asJson) {
            std::cout << Json{{"errors", messagesJson(compiled.error().text(), "error")}}.dump(2) << "\n";
        }
        return 1;
    }
    std::cerr << compiled->warnings;
    const Status status = compiled->hasPayloadAtomics ? Status() : spirv::validate(compiled->words);
    if (!status) {
        return reportErrors({{arguments.input, "", "the module is not valid: " + status.error().text()}},
                            arguments.asJson);
    }
    if (const int written = writeOutput(arguments, compiled->words); written != 0) {
        return written;
    }
    return arguments.asJson ? writeJson(arguments, *compiled) : 0;
}

}  // namespace

Command addCompile(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("compile", "Compile a node shader in GLSL (docs/glsl.md) to SPIR-V");
    command->footer(
        "Errors have the form of compilers: FILE:LINE:COLUMN: error: MESSAGE, and the line of the source.\n"
        "\n"
        "Examples:\n"
        "  millrace compile node.comp -o node.spv\n"
        "  millrace compile -g -I include -D ROWS=8 node.comp");
    command->add_option("input", arguments->input, "GLSL")->required()->type_name("FILE");
    command
        ->add_option("-o,--output", arguments->output,
                     "where to write the result, - for standard output; default: the input with .spv")
        ->type_name("FILE");
    command->add_option("-I,--include", arguments->includeFolders, "folder that #include looks in; may be repeated")
        ->type_name("FOLDER")
        ->allow_extra_args(false);
    command->add_option("-D,--define", arguments->definitions, "a macro; may be repeated")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
    command->add_flag("-g", arguments->debugInformation, "keep source text and line numbers");
    command->add_flag("--asm", arguments->asText, "write text, to standard output unless -o says otherwise");
    command->add_flag("--json", arguments->asJson,
                      "write errors, warnings and what linking knows of the node to standard output");
    command->callback([arguments] {
        if (arguments->asJson && outputPath(*arguments) == "-") {
            throw CLI::ValidationError("--json", "the result goes to standard output already; say -o FILE");
        }
    });
    return [arguments] { return compile(*arguments); };
}

}  // namespace millrace::tools
