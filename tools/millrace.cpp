// SPDX-License-Identifier: Apache-2.0
// `millrace`, the command-line tool.
#include <array>

#include <CLI/CLI.hpp>

#include "tools/commands.h"

namespace {

constexpr int kUsageError = 2;

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Tools for execution graphs on plain Vulkan", "millrace");
    app.require_subcommand(1);
    const std::array commands = {millrace::tools::addCompile(app), millrace::tools::addLower(app),
                                 millrace::tools::addGraph(app)};
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsageError;
    }
    const auto all = app.get_subcommands([](const CLI::App*) { return true; });
    for (size_t c = 0; c < commands.size(); c++) {
        if (all[c]->parsed()) {
            return commands[c]();
        }
    }
    return kUsageError;
}
