// SPDX-License-Identifier: Apache-2.0
// `millrace lower`: one node shader to a plain compute shader, as the layer would do it.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/near_word.h"
#include "nodes/compile.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/files.h"
#include "tools/graph/node_json.h"
#include "tools/modules.h"
#include "tools/progress.h"
#include "tools/report_errors.h"
#include "tools/specialization.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::string input;
    std::string output;
    std::string node;
    std::string entryPoint;
    std::string printAfter;
    std::vector<std::string> specialization;
    uint32_t argumentsOffset = 128;
    bool pushConstantsInMemory = false;
    bool indirect = false;
    bool fits = false;
    bool noPacking = false;
    bool asText = false;
    bool reflect = false;
    bool asJson = false;
};

// The only compute entry point; "main" if there are several or none.
std::string defaultEntryPoint(const spirv::Words& words)
{
    const std::vector<std::string> names = computeEntryPoints(words);
    return names.size() == 1 ? names[0] : "main";
}

// What is wrong with the name of a pass; empty: nothing.
std::string checkPass(const std::string& name)
{
    const auto known = nodes::passNames();
    std::vector<std::string_view> words(known.begin(), known.end());
    words.emplace_back("all");
    return noneOf(name, words);
}

std::string passWords()
{
    std::string words;
    for (const std::string_view name : nodes::passNames())
        words += std::string(name) + "|";
    return words + "all";
}

std::string describe(const graph::NodeId& id)
{
    return "\"" + printable(id.name) + "\"[" + std::to_string(id.index) + "]";
}

std::string grid(const uint32_t (&size)[3])
{
    return std::to_string(size[0]) + " " + std::to_string(size[1]) + " " + std::to_string(size[2]);
}

void print(const graph::NodeOutput& output, size_t index)
{
    std::cout << "output " << index << ": \"" << printable(output.targetName) << "\" base " << output.baseIndex;
    if (output.arraySize)
        std::cout << " size " << *output.arraySize;
    if (output.constantIndex)
        std::cout << " always index " << *output.constantIndex;
    std::cout << (output.sparse ? " sparse" : "") << ", " << output.payloadBytes << " bytes, budget " << output.budget
              << " of pool " << output.budgetPool << ", " << output.allocationSites << " allocations"
              << (output.allocatesInLoop ? " in loops" : "") << (output.perInvocation ? " per invocation" : "")
              << (output.tracksFinishWriting ? ", tracks finish" : "") << "\n";
}

void print(const graph::Node& node)
{
    std::cout << "node " << describe(node.declared.id) << ", entry point \"" << printable(node.declared.entryPoint)
              << "\"\n";
    switch (node.declared.mode) {
        case graph::LaunchMode::Static:
            std::cout << "grid " << grid(node.declared.staticGrid) << "\n";
            break;
        case graph::LaunchMode::Dynamic:
            std::cout << "grid from payload offset " << node.declared.grid.offsetBytes << ", "
                      << node.declared.grid.components << " components of " << node.declared.grid.componentBytes
                      << " bytes" << (node.declared.declaresMaxGrid ? ", at most " + grid(node.declared.maxGrid) : "")
                      << "\n";
            break;
        case graph::LaunchMode::Coalescing:
            std::cout << "coalescing up to " << node.declared.maxInputPayloads << " payloads\n";
            break;
    }
    std::cout << "local size " << grid(node.declared.localSize);
    if (node.decided.packWidth > 0)
        std::cout << ", packed " << node.decided.packWidth;
    std::cout << "\npayload "
              << (node.declared.declaresPayload ? std::to_string(node.declared.payloadBytes) + " bytes" : "implicit")
              << ", alignment " << node.declared.payloadAlignment << (node.declared.writesInput ? ", written" : "")
              << (node.declared.usesFinishWriting ? ", finish writing" : "") << "\n";
    if (node.declared.maxRecursion > 0)
        std::cout << "recursion " << node.declared.maxRecursion << "\n";
    if (node.declared.sharesInputWith)
        std::cout << "shares input with " << describe(*node.declared.sharesInputWith) << "\n";
    std::cout << (node.declared.apiEntry ? "" : "no API entry\n");
    for (size_t o = 0; o < node.declared.outputs.size(); ++o)
        print(node.declared.outputs[o], o);
}

int writeOutput(const Arguments& arguments, const spirv::Words& words)
{
    std::string content(reinterpret_cast<const char*>(words.data()), words.size() * 4);
    if (arguments.asText) {
        const auto text = spirv::disassemble(words);
        if (!text)
            return fail(printable(text.error().text()));
        content = *text;
    }
    if (arguments.output.empty() && !arguments.asText)
        return 0;
    return writeFile(arguments.output.empty() ? "-" : arguments.output, content);
}

nodes::Options optionsOf(const Arguments& arguments, const spirv::Words& module)
{
    nodes::Options options;
    options.request.entryPoint = arguments.entryPoint.empty() ? defaultEntryPoint(module) : arguments.entryPoint;
    options.request.argumentsOffsetBytes = arguments.pushConstantsInMemory ? 0 : arguments.argumentsOffset;
    options.request.pushConstantsInMemory = arguments.pushConstantsInMemory;
    options.variant.indirect = arguments.indirect;
    options.checks.validate = true;
    if (arguments.noPacking)
        options.target.packWidth = 0;
    if (!arguments.node.empty()) {
        const NodeName node = parseNodeName(arguments.node);
        options.request.nodeName = node.name;
        options.request.shaderIndex = node.index;
    }
    options.request.specialization = specializationOf(arguments.specialization);
    if (!arguments.printAfter.empty()) {
        options.checks.afterPass = [&arguments](std::string_view pass, std::span<const uint32_t> words) {
            if (pass == arguments.printAfter || arguments.printAfter == "all") {
                const auto text = spirv::disassemble(words);
                std::cout << "; after " << pass << "\n" << (text ? *text : text.error().text() + "\n");
            }
        };
    }
    return options;
}

int lower(const Arguments& arguments)
{
    const auto module = readModule(arguments.input);
    if (!module)
        return reportErrors({module.error()}, arguments.asJson);
    const nodes::Options options = optionsOf(arguments, *module);
    const auto compiled = [&] {
        // Modules on the terminal show progress enough.
        std::optional<Progress> progress;
        if (!options.checks.afterPass)
            progress.emplace("compiling");
        return nodes::compile(*module, options, arguments.fits ? graph::MemoryUse::Fits : graph::MemoryUse::Reserves);
    }();
    if (!compiled)
        return reportErrors({compiled.error()}, arguments.asJson);
    if (arguments.reflect)
        print(compiled->node);
    if (arguments.asJson) {
        std::cout << nlohmann::json{{"node", nodeJson(compiled->node)}, {"errors", nlohmann::json::array()}}.dump(2)
                  << "\n";
    }
    return writeOutput(arguments, compiled->words);
}

}  // namespace

Command addLower(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("lower", "Compile a node shader into a plain compute shader");
    command->footer(
        "Without -o and --asm nothing but what --reflect, --json and --print-after ask for is written.\n"
        "\n"
        "Examples:\n"
        "  millrace lower node.spv --entry name --asm\n"
        "  millrace lower node.spv --json");
    command->add_option("input", arguments->input, "SPIR-V, binary or assembly text, - for standard input")
        ->required()
        ->type_name("FILE");
    command->add_option("-o,--output", arguments->output, "where to write the result, - for standard output")
        ->type_name("FILE");
    command->add_option("--node", arguments->node, "name and index in place of what the shader says")
        ->type_name("NAME[:INDEX]");
    command->add_option("--entry", arguments->entryPoint, "entry point; default: the only one, or main")
        ->type_name("NAME");
    command->add_option("--print-after", arguments->printAfter, "print the module after this pass")
        ->type_name("PASS")
        ->option_text(passWords())
        ->check(checkPass);
    command->add_option("--spec", arguments->specialization, "a specialization constant; may be repeated")
        ->type_name("ID=VALUE")
        ->allow_extra_args(false)
        ->check(checkSpecialization);
    command->add_option("--arguments-offset", arguments->argumentsOffset, "bytes of push constants of the application")
        ->type_name("BYTES")
        ->capture_default_str();
    command->add_flag("--push-constants-in-memory", arguments->pushConstantsInMemory,
                      "read the application's push constants from memory");
    command->add_flag("--fits", arguments->fits, "for dispatches whose scratch memory is enough for anything");
    command->add_flag("--indirect", arguments->indirect, "one workgroup per workgroup, no loop");
    command->add_flag("--no-packing", arguments->noPacking, "do not pack single-invocation workgroups");
    command->add_flag("--asm", arguments->asText, "write text");
    command->add_flag("--reflect", arguments->reflect, "print what linking knows of the node");
    command->add_flag("--json", arguments->asJson, "as --reflect, as JSON");
    command->callback([arguments] {
        const bool writesText = arguments->output == "-" || (arguments->asText && arguments->output.empty()) ||
                                arguments->reflect || !arguments->printAfter.empty();
        if (arguments->asJson && writesText)
            throw CLI::ValidationError("--json", "something else writes to standard output already");
    });
    return [arguments] { return lower(*arguments); };
}

}  // namespace millrace::tools
