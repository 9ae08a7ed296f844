// SPDX-License-Identifier: Apache-2.0
// `millrace completion` and `millrace manual`: what the tool knows of itself, for shells and for man.
#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/near_word.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/files.h"
#include "tools/manual/completion.h"
#include "tools/manual/man_page.h"

namespace millrace::tools {

namespace {

struct Shell {
    const char* name;
    std::string (*script)(const CommandTable& table);
};

constexpr std::array<Shell, 3> kShells = {{{"bash", bashCompletion}, {"zsh", zshCompletion}, {"fish", fishCompletion}}};

int printCompletion(const CLI::App& app, const std::string& wanted)
{
    for (const Shell& shell : kShells)
        if (shell.name == wanted)
            std::cout << shell.script(readCommands(app));
    return 0;
}

int printManual(const CLI::App& app, const std::string& wanted)
{
    const CommandTable table = readCommands(app);
    if (wanted.empty()) {
        std::cout << manPage(table, table.tool);
        return 0;
    }
    for (const CommandRow& command : table.commands) {
        if (command.name == wanted) {
            std::cout << manPage(table, command);
            return 0;
        }
    }
    std::vector<std::string> names;
    std::ranges::transform(table.commands, std::back_inserter(names), &CommandRow::name);
    return fail("there is no command \"" + printable(wanted) + "\"" + suggestion(wanted, names));
}

int writeManuals(const CLI::App& app, const std::string& folder)
{
    const CommandTable table = readCommands(app);
    std::vector<CommandRow> rows = table.commands;
    rows.push_back(table.tool);
    for (const CommandRow& row : rows) {
        const std::string name = row.name.empty() ? "millrace.1" : "millrace-" + row.name + ".1";
        if (writeFile(folder + "/" + name, manPage(table, row)) != 0)
            return 1;
    }
    return 0;
}

}  // namespace

Command addCompletion(CLI::App& app)
{
    const auto wanted = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("completion", "Write a script that lets a shell complete this tool's words");
    command->footer(
        "Installations bring these scripts along.\n"
        "\n"
        "Examples:\n"
        "  source <(millrace completion bash)\n"
        "  millrace completion zsh > ~/.zfunc/_millrace\n"
        "  millrace completion fish | source");
    command->add_option("shell", *wanted, "the shell")
        ->required()
        ->type_name("bash|zsh|fish")
        ->check([](const std::string& name) {
            std::array<std::string_view, kShells.size()> names;
            std::ranges::transform(kShells, names.begin(), &Shell::name);
            return noneOf(name, names);
        });
    return [&app, wanted] { return printCompletion(app, *wanted); };
}

Command addManual(CLI::App& app)
{
    struct Arguments {
        std::string command;
        std::string folder;
    };
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("manual", "Write the man page of this tool or of a command");
    command->footer(
        "Installations bring the pages along: see millrace(1) and millrace-COMMAND(1).\n"
        "\n"
        "Examples:\n"
        "  millrace manual graph | man -l -");
    std::string names;
    for (const CLI::App* other : app.get_subcommands([](const CLI::App*) { return true; }))
        names += (names.empty() ? "" : "|") + other->get_name();
    CLI::Option* name = command->add_option("command", arguments->command, "the command; without it, the tool itself");
    name->type_name("COMMAND")->option_text(names);
    command->add_option("--all", arguments->folder, "write all pages into this folder")
        ->type_name("FOLDER")
        ->excludes(name);
    return [&app, arguments] {
        return arguments->folder.empty() ? printManual(app, arguments->command) : writeManuals(app, arguments->folder);
    };
}

}  // namespace millrace::tools
