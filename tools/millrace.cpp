// SPDX-License-Identifier: Apache-2.0
// `millrace`, the command-line tool.
#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/near_word.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/manual/help.h"

namespace millrace::tools {

namespace {

constexpr int kUsageError = 2;

// The last knows all others.
constexpr std::array kCommands = {addCompile, addDxil,   addLower, addAdvise,     addGraph,
                                  addInfo,    addReport, addRun,   addCompletion, addManual};

constexpr const char* kNotes =
    "Modules are SPIR-V, binary or assembly text. Results go to standard output, warnings and errors to standard "
    "error.\n"
    "With --json standard output is one JSON document, also when something is wrong.\n"
    "\n"
    "Environment:\n"
    "  NO_COLOR  no colours, even on terminals\n"
    "  VK_ADD_LAYER_PATH, VK_INSTANCE_LAYERS, VK_MILLRACE_EMULATION_*\n"
    "            the Vulkan layer and its settings; see 'millrace info'";

// `word` begins with '-' and may have a value behind '='.
std::string noOption(const CLI::App& command, const std::string& word)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    const std::string name = word.substr(0, word.find('='));
    return "there is no option \"" + printable(name) + "\"" +
           suggestion(name, std::vector<std::string_view>(names.begin(), names.end()));
}

// What is wrong with what the parser did not expect, for the command in whose place it stands.
std::string unexpected(const CLI::App& app)
{
    const auto parsed = app.get_subcommands();
    const CLI::App& command = parsed.empty() ? app : *parsed.front();
    const std::vector<std::string> words = app.remaining(true);
    const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
    if (option != words.end())
        return noOption(command, *option);
    return "\"" + (words.empty() ? "" : printable(words.front())) + "\" is one word too many";
}

// What is wrong with the first word; empty if nothing is. The parser would say no more than that a command is needed.
std::string checkFirst(const CLI::App& app, const std::string& word)
{
    if (word.starts_with('-'))
        return app.get_option_no_throw(word) != nullptr ? "" : noOption(app, word);
    std::vector<std::string_view> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    if (std::ranges::find(names, word) != names.end())
        return "";
    return "there is no command \"" + printable(word) + "\"" + suggestion(word, names);
}

int failUsage(const CLI::App& app, const std::string& message)
{
    const auto parsed = app.get_subcommands();
    const std::string command = parsed.empty() ? "" : " " + parsed.front()->get_name();
    fail(message);
    std::cerr << "Try 'millrace" << command << " --help'.\n";
    return kUsageError;
}

// A full disk behind standard output must not look like success.
int flushed(int status)
{
    std::cout.flush();
    return std::cout.good() || status != 0 ? status : fail("cannot write to standard output");
}

int run(int argc, char** argv)
{
    CLI::App app("Tools for execution graphs on plain Vulkan", "millrace");
    app.formatter(createHelpFormatter());
    app.set_help_flag("-h,--help", "show this help");
    app.set_version_flag("--version", "millrace " MILLRACE_VERSION, "show the version");
    app.footer(kNotes);
    std::vector<Command> commands;
    for (Command (*add)(CLI::App&) : kCommands)
        commands.push_back(add(app));
    const std::string problem = argc < 2 ? "a command is missing" : checkFirst(app, argv[1]);
    if (!problem.empty())
        return failUsage(app, problem);
    app.require_subcommand(1);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& request) {
        return flushed(app.exit(request));
    } catch (const CLI::ExtrasError&) {
        return failUsage(app, unexpected(app));
    } catch (const CLI::ParseError& error) {
        return failUsage(app, printable(error.what()));
    }
    const auto all = app.get_subcommands([](const CLI::App*) { return true; });
    for (size_t c = 0; c < commands.size(); ++c)
        if (all[c]->parsed())
            return flushed(commands[c]());
    return kUsageError;
}

}  // namespace

}  // namespace millrace::tools

int main(int argc, char** argv)
{
    return millrace::tools::run(argc, argv);
}
