// SPDX-License-Identifier: Apache-2.0
// `millrace`, the command-line tool.
#include <array>
#include <iostream>

#include <CLI/CLI.hpp>

#include "tools/commands.h"
#include "tools/console.h"

namespace {

constexpr int kUsageError = 2;

// A full disk behind standard output must not look like success.
int flushed(int status)
{
    std::cout.flush();
    return std::cout.good() || status != 0 ? status : millrace::tools::fail("cannot write to standard output");
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Tools for execution graphs on plain Vulkan", "millrace");
    app.require_subcommand(1);
    const std::array commands = {millrace::tools::addCompile(app), millrace::tools::addLower(app),
                                 millrace::tools::addGraph(app), millrace::tools::addInfo(app)};
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsageError;
    }
    const auto all = app.get_subcommands([](const CLI::App*) { return true; });
    for (size_t c = 0; c < commands.size(); c++) {
        if (all[c]->parsed()) {
            return flushed(commands[c]());
        }
    }
    return kUsageError;
}
