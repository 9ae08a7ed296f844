// SPDX-License-Identifier: Apache-2.0
// The commands and options of the tool as data. What the parser knows is the only source of help, man pages and shell
// completion, so an option that is added to a command is in all of them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace millrace::tools {

enum class Takes { Nothing, Text, File, Folder, Words };

struct OptionRow {
    std::vector<std::string> names;  // "-o", "--output"; empty for what has a place instead of a name
    std::string value;               // "FILE"; empty for flags
    Takes takes = Takes::Nothing;
    std::vector<std::string> words;  // for Takes::Words
    std::string description;
    std::string byDefault;
    bool isRequired = false;
    bool isRepeated = false;
};

// Paragraphs, and lines that stay as they are, under a title.
struct Section {
    std::string title;  // empty for what stands before the first title
    std::vector<std::string> lines;
};

struct CommandRow {
    std::string name;  // "graph"; empty for the tool itself
    std::string summary;
    std::vector<OptionRow> arguments;  // by their places
    std::vector<OptionRow> options;
    std::vector<Section> notes;
};

struct CommandTable {
    CommandRow tool;
    std::vector<CommandRow> commands;
};

// Conventions, by which a command says more to the parser than that needs:
// - The type name of an option or argument says what it takes: FILE, FOLDER, words as in "bash|zsh|fish", or the name
// of
//   some text. A longer list of words is in the option text.
// - The footer holds notes: a line that ends in a colon and begins at the margin is a title, an indented line stays as
// it
//   is, an empty line ends a paragraph.
CommandRow readCommand(const CLI::App& command);
CommandTable readCommands(const CLI::App& app);

// "millrace graph [OPTION]... [FILE...]"
std::string usageText(const CommandRow& command);
// "-o, --output FILE", "FILE..."
std::string optionText(const OptionRow& option);
// The description and the default.
std::string descriptionText(const OptionRow& option);

// What every command may return.
struct ExitStatus {
    const char* status;
    const char* meaning;
};
const std::vector<ExitStatus>& exitStatuses();

}  // namespace millrace::tools
