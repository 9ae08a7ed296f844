// SPDX-License-Identifier: Apache-2.0
// `millrace advise`: what AMD's GPUs make of mesh and task shaders, without such a GPU.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "advisor/advise.h"
#include "tools/advise/advice_json.h"
#include "tools/advise/advice_page.h"
#include "tools/advise/advice_text.h"
#include "tools/advise/shader_file.h"
#include "tools/commands.h"
#include "tools/files.h"
#include "tools/report_errors.h"
#include "tools/specialization.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::string input;
    std::string entryPoint;
    std::vector<std::string> specialization;
    std::string output;
    bool asJson = false;
};

int advise(const Arguments& arguments)
{
    const auto file = readShaderFile(arguments.input);
    if (!file)
        return reportErrors({file.error()}, arguments.asJson);
    const auto shaders =
        advisor::advise(file->words, {arguments.entryPoint, specializationOf(arguments.specialization)});
    if (!shaders) {
        const Diagnostic& error = shaders.error();
        return reportErrors({{arguments.input, error.where, error.message}}, arguments.asJson);
    }
    if (arguments.asJson) {
        std::cout
            << nlohmann::ordered_json{{"shaders", adviceJson(*shaders)}, {"errors", nlohmann::json::array()}}.dump(2)
            << "\n";
    } else if (arguments.output.empty()) {
        printAdvice(*shaders);
    }
    if (!arguments.output.empty()) {
        const std::string title = std::filesystem::path(arguments.input).filename().string();
        return writeFile(arguments.output, makeAdvicePage(*shaders, title));
    }
    return 0;
}

}  // namespace

Command addAdvise(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("advise", "Say what AMD's GPUs make of a mesh or task shader");
    command->footer(
        "No GPU is needed. Findings have source lines where the module has them: compile with -g.\n"
        "\n"
        "Examples:\n"
        "  millrace advise meshlets.spv\n"
        "  millrace advise meshlets.dxil --json\n"
        "  millrace advise meshlets.spv -o meshlets.html");
    command->add_option("input", arguments->input, "SPIR-V, binary or assembly text, or DXIL, - for standard input")
        ->required()
        ->type_name("FILE");
    command->add_option("--entry", arguments->entryPoint, "entry point; default: all mesh and task shaders")
        ->type_name("NAME");
    command->add_option("--spec", arguments->specialization, "a specialization constant; may be repeated")
        ->type_name("ID=VALUE")
        ->allow_extra_args(false)
        ->check(checkSpecialization);
    command->add_option("-o,--output", arguments->output, "write a page that needs nothing else, - for standard output")
        ->type_name("FILE");
    command->add_flag("--json", arguments->asJson, "write JSON");
    command->callback([arguments] {
        if (arguments->asJson && arguments->output == "-")
            throw CLI::ValidationError("--json", "something else writes to standard output already");
    });
    return [arguments] { return advise(*arguments); };
}

}  // namespace millrace::tools
