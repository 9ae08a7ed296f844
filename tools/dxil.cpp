// SPDX-License-Identifier: Apache-2.0
// `millrace dxil`: a DXIL container to SPIR-V, one module for each entry point.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "base/input_file.h"
#include "dxil/container.h"
#include "dxil/translate.h"
#include "spirv/tools.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/dxil_modules.h"
#include "tools/dxil_options.h"
#include "tools/files.h"
#include "tools/modules.h"
#include "tools/progress.h"
#include "tools/report_errors.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::vector<std::string> inputs;
    std::string options;
    std::string output;
    std::string entryPoint;
    std::vector<uint32_t> shifts;
    std::string rootSignature;
    bool noRootSignature = false;
    bool asJson = false;
    unsigned seconds = 10;
    bool inProcess = false;
    bool asText = false;
    bool verbose = false;
    bool validates = false;
    bool wholeVectors = false;
    uint32_t splitUpTo = 16;
};

int writeModule(const Arguments& arguments, const DxilModule& made, const std::string& path)
{
    std::string content(reinterpret_cast<const char*>(made.words.data()), made.words.size() * 4);
    if (arguments.asText) {
        const auto text = dxil::disassemble(made.words);
        if (!text)
            return fail(text.error().text());
        content = *text;
    }
    return writeFile(path, content);
}

// A name that is safe in a folder: exported names may be mangled.
std::string fileName(const std::string& entry)
{
    std::string out = entry;
    std::ranges::replace_if(
        out, [](unsigned char c) { return !std::isalnum(c) && c != '_' && c != '-' && c != '.'; }, '_');
    return out;
}

int writeAll(const Arguments& arguments, const std::vector<DxilModule>& made, bool isLibrary)
{
    const std::string suffix = arguments.asText ? ".spvasm" : ".spv";
    namespace fs = std::filesystem;
    std::string target = arguments.output;
    if (target.empty()) {
        const fs::path input(arguments.inputs.front());
        target = arguments.asText ? "-" : fs::path(input).replace_extension(isLibrary ? "" : suffix).string();
    }
    const bool asFolder = isLibrary && target != "-" && arguments.entryPoint.empty();
    if (asFolder) {
        std::error_code problem;
        fs::create_directories(target, problem);
        if (problem)
            return fail("cannot make the folder " + target);
    }
    for (const DxilModule& module : made) {
        const std::string path = asFolder ? (fs::path(target) / (fileName(module.name) + suffix)).string() : target;
        if (arguments.verbose) {
            std::cerr << module.name << ": " << module.words.size() << " words"
                      << (module.wasStructurized ? ", control flow rebuilt" : "") << "\n";
        }
        if (const int status = writeModule(arguments, module, path); status != 0)
            return status;
    }
    return 0;
}

int refuse(const Arguments& arguments, const std::string& message)
{
    return reportErrors({Diagnostic{inputName(arguments.inputs.front()), "", message}}, arguments.asJson);
}

// What the file of options and the command line say, and all libraries. Throws run::InputError.
Status prepare(const Arguments& arguments, DxilOptions& out)
{
    if (!arguments.options.empty()) {
        const run::Document document = run::Document::read(arguments.options);
        readDxilOptions(document.root(), out);
    }
    std::vector<DxilLibrary> given;
    for (const std::string& input : arguments.inputs)
        if (const Status read = readInput(input, given.emplace_back().content); !read)
            return Diagnostic{inputName(input), "", withReason("cannot read the file", read)};
    given.front().exports = out.exports;
    out.libraries.insert(out.libraries.begin(), given.begin(), given.end());
    out.options.entryPoint = arguments.entryPoint;
    for (size_t s = 0; s < arguments.shifts.size(); ++s)
        out.options.bindings.shifts.at(s) = arguments.shifts[s];
    out.options.useRootSignature = out.options.useRootSignature && !arguments.noRootSignature;
    if (arguments.rootSignature.empty())
        return {};
    std::string signature;
    if (const Status read = readInputFile(arguments.rootSignature, signature); !read)
        return Diagnostic{arguments.rootSignature, "", withReason("cannot read the root signature", read)};
    const auto found = dxil::readSignatureOf(
        std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(signature.data()), signature.size()));
    if (!found)
        return Diagnostic{arguments.rootSignature, "", found.error().text()};
    out.options.rootSignature = *found;
    return {};
}

unsigned secondsFor(const Arguments& arguments)
{
    return arguments.inProcess ? 0 : std::max(1u, arguments.seconds);
}

int validate(const Arguments& arguments, const std::string& content)
{
    const auto found = findDxilViolations(content, secondsFor(arguments));
    if (!found)
        return refuse(arguments, found.error().text());
    std::vector<Diagnostic> errors;
    for (const dxil::Violation& violation : *found) {
        errors.push_back(
            {inputName(arguments.inputs.front()), violation.place, violation.message + " [" + violation.rule + "]"});
    }
    if (!errors.empty() || arguments.asJson) {
        const int status = reportErrors(errors, arguments.asJson);
        return errors.empty() ? 0 : status;
    }
    if (arguments.verbose)
        std::cerr << inputName(arguments.inputs.front()) << ": no rule for native vectors is broken\n";
    return 0;
}

int execute(const Arguments& arguments)
{
    DxilOptions prepared;
    try {
        if (const Status status = prepare(arguments, prepared); !status)
            return reportErrors({status.error()}, arguments.asJson);
    } catch (const run::InputError& error) {
        return reportErrors({Diagnostic{error.text(), "", ""}}, arguments.asJson);
    }
    const std::string& content = prepared.libraries.front().content;
    if (arguments.validates)
        return validate(arguments, content);
    prepared.options.wholeVectors = arguments.wholeVectors;
    prepared.options.splitUpTo = arguments.splitUpTo;
    const auto program = [&] {
        const Progress progress("translating");
        return translateDxil(prepared.libraries, prepared.options, secondsFor(arguments));
    }();
    if (!program)
        return refuse(arguments, program.error().text());
    if (arguments.wholeVectors) {
        std::cerr
            << "note: modules with SPV_EXT_long_vector are not validated here; spirv-val 2026.1 and later know it\n";
    }
    for (const DxilModule& module : program->modules)
        std::cerr << codeWarnings(module.words, module.entryPoint, inputName(arguments.inputs.front()));
    if (arguments.asJson) {
        std::cout << program->description << "\n";
        return 0;
    }
    const auto container =
        dxil::readContainer(std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(content.data()), content.size()));
    return writeAll(arguments, program->modules, container && container->kind == dxil::ShaderKind::Library);
}

}  // namespace

Command addDxil(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("dxil", "Translate DXIL (docs/dxil.md) to SPIR-V");
    command->footer(
        "Each entry point becomes a module. What cannot be translated is named with its place.\n"
        "\n"
        "Examples:\n"
        "  millrace dxil shader.dxil -o shader.spv\n"
        "  millrace dxil graph.dxil -o graph\n"
        "  millrace dxil graph.dxil --entry fill --asm\n"
        "  millrace dxil graph.dxil more.dxil --options nodes.json -o graph\n"
        "  millrace dxil --validate shader.dxil");
    command
        ->add_option("input", arguments->inputs,
                     "DXIL containers, - for standard input; several libraries are one graph")
        ->required()
        ->type_name("FILE");
    command->add_option("--options", arguments->options, "JSON: bindings, root signatures, overrides of nodes")
        ->type_name("FILE");
    command
        ->add_option("-o,--output", arguments->output,
                     "where to write: a file, of libraries a folder; - for standard output; default: beside the input")
        ->type_name("PATH");
    command->add_option("--entry", arguments->entryPoint, "only this entry point, to a file")->type_name("NAME");
    command->add_option("--shifts", arguments->shifts, "first bindings of t, u, b and s registers")
        ->type_name("N")
        ->expected(4);
    command->add_option("--root-signature", arguments->rootSignature, "a container with the root signature to use")
        ->type_name("FILE");
    command->add_flag("--no-root-signature", arguments->noRootSignature, "ignore the input's root signature");
    command->add_flag("--json", arguments->asJson, "write entry points, nodes and places of resources");
    command->add_option("--time-limit", arguments->seconds, "how long the reader may take")
        ->type_name("SECONDS")
        ->capture_default_str();
    command->add_flag("--validate", arguments->validates, "only check the rules for native vectors (shader model 6.9)");
    command->add_flag("--whole-vectors", arguments->wholeVectors,
                      "keep vectors of more than four elements whole (SPV_EXT_long_vector); not validated");
    command->add_option("--split-up-to", arguments->splitUpTo, "keep longer vectors in arrays, not split")
        ->type_name("ELEMENTS")
        ->check(CLI::Range(4, 1024))
        ->capture_default_str();
    command->add_flag("--in-process", arguments->inProcess, "for input that is trusted");
    command->add_flag("--asm", arguments->asText, "write text, to standard output unless -o says otherwise");
    command->add_flag("-v,--verbose", arguments->verbose, "say what was made");
    command->callback([arguments] {
        const bool isNamed = !arguments->output.empty() || arguments->asText || arguments->validates;
        if (arguments->inputs.front() == "-" && !isNamed)
            throw CLI::ValidationError("dxil", "standard input has no name to make one of; say -o PATH");
    });
    return [arguments] { return execute(*arguments); };
}

}  // namespace millrace::tools
