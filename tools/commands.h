// SPDX-License-Identifier: Apache-2.0
// The subcommands of `millrace`. Each adds itself and its options to the application and gives the code to run, which
// returns the exit status: 0, or 1 for failures other than wrong usage. What it tells the parser becomes help, man page
// and shell completion: manual/command_table.h has the conventions.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace millrace::tools {

using Command = std::function<int()>;

// Says what AMD's GPUs make of mesh and task shaders.
Command addAdvise(CLI::App& app);

// Compiles a node shader in GLSL and writes a module of the extension.
Command addCompile(CLI::App& app);

// Translates DXIL to SPIR-V.
Command addDxil(CLI::App& app);

// Compiles a node shader and writes the plain compute shader.
Command addLower(CLI::App& app);

// Checks nodes as one graph, lists them and draws them.
Command addGraph(CLI::App& app);

// Shows devices and settings.
Command addInfo(CLI::App& app);

// Shows what a trace says.
Command addReport(CLI::App& app);

// Runs a graph that a JSON file describes.
Command addRun(CLI::App& app);

// Write completion scripts and man pages. The application must outlive the commands.
Command addCompletion(CLI::App& app);
Command addManual(CLI::App& app);

}  // namespace millrace::tools
