// SPDX-License-Identifier: Apache-2.0
// `millrace compile`: a node shader in GLSL to a module of SPV_AMDX_shader_enqueue.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "glsl/compile.h"
#include "spirv/tools.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/files.h"
#include "tools/progress.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::string input;
    std::string output;
    std::vector<std::string> includeFolders;
    std::vector<std::string> definitions;
    bool debugInformation = false;
    bool asText = false;
};

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
    std::string path = arguments.output;
    if (path.empty()) {
        path = arguments.asText ? "-" : std::filesystem::path(arguments.input).replace_extension(".spv").string();
    }
    return writeFile(path, content);
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
    if (!readFile(arguments.input, source)) {
        return fail("cannot read " + printable(arguments.input));
    }
    const auto compiled = [&] {
        const Progress progress("compiling");
        return glsl::compile(source, arguments.input, optionsOf(arguments));
    }();
    if (!compiled) {
        // In the form of compilers, with file and line.
        std::cerr << compiled.error().text() << "\n";
        return 1;
    }
    std::cerr << compiled->warnings;
    const Status status = compiled->hasPayloadAtomics ? Status() : spirv::validate(compiled->words);
    if (!status) {
        return fail(printable(arguments.input) + ": the module is not valid: " + status.error().text());
    }
    return writeOutput(arguments, compiled->words);
}

}  // namespace

Command addCompile(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("compile", "Compile a node shader in GLSL (docs/glsl.md) to SPIR-V");
    command->footer(
        "Errors have the form of compilers: FILE:LINE: error: MESSAGE.\n"
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
    return [arguments] { return compile(*arguments); };
}

}  // namespace millrace::tools
