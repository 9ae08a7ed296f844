// SPDX-License-Identifier: Apache-2.0
#include "tools/manual/command_table.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <CLI/CLI.hpp>

namespace millrace::tools {

namespace {

constexpr const char* kTool = "millrace";

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

std::string upperCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

// Behind a colon the parser adds what its checks say; "NAME[:INDEX]" is ours.
std::string ownTypeName(const CLI::Option& option)
{
    const std::string name = option.get_type_name();
    size_t end = name.find(':');
    while (end != std::string::npos && end > 0 && name[end - 1] == '[')
        end = name.find(':', end + 1);
    return name.substr(0, end);
}

void readValue(const CLI::Option& option, OptionRow& row)
{
    row.value = ownTypeName(option);
    const std::string words = option.get_option_text().empty() ? row.value : option.get_option_text();
    if (row.value == "FILE") {
        row.takes = Takes::File;
    } else if (row.value == "FOLDER") {
        row.takes = Takes::Folder;
    } else if (words.find('|') != std::string::npos) {
        row.takes = Takes::Words;
        row.words = split(words, '|');
    } else {
        row.takes = Takes::Text;
    }
}

OptionRow readOption(const CLI::Option& option)
{
    OptionRow row;
    for (const std::string& name : option.get_snames())
        row.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        row.names.push_back("--" + name);
    if (option.get_items_expected_max() > 0)
        readValue(option, row);
    if (row.names.empty() && row.takes == Takes::Text)
        row.value = upperCase(option.get_name(true, false));
    row.description = option.get_description();
    row.byDefault = option.get_default_str();
    row.isRequired = option.get_required();
    row.isRepeated =
        option.get_items_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    return row;
}

std::vector<Section> readNotes(const std::string& text)
{
    std::vector<Section> sections;
    for (const std::string& line : split(text, '\n')) {
        if (!line.empty() && line.front() != ' ' && line.back() == ':') {
            sections.push_back({line.substr(0, line.size() - 1), {}});
            continue;
        }
        if (sections.empty())
            sections.push_back({});
        sections.back().lines.push_back(line);
    }
    for (Section& section : sections)
        while (!section.lines.empty() && section.lines.back().empty())
            section.lines.pop_back();
    return sections;
}

}  // namespace

CommandRow readCommand(const CLI::App& command)
{
    CommandRow row;
    row.name = command.get_parent() == nullptr ? "" : command.get_name();
    row.summary = command.get_description();
    for (const CLI::Option* option : command.get_options([](const CLI::Option*) { return true; }))
        (option->nonpositional() ? row.options : row.arguments).push_back(readOption(*option));
    // Help and version come last, the parser has them first.
    std::ranges::stable_partition(row.options, [](const OptionRow& option) {
        return option.names.back() != "--help" && option.names.back() != "--version";
    });
    row.notes = readNotes(command.get_footer());
    return row;
}

CommandTable readCommands(const CLI::App& app)
{
    CommandTable table{readCommand(app), {}};
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        table.commands.push_back(readCommand(*command));
    return table;
}

std::string usageText(const CommandRow& command)
{
    std::string text = kTool;
    if (command.name.empty())
        return text + " COMMAND [OPTION]... [ARGUMENT]...";
    text += " " + command.name + " [OPTION]...";
    for (const OptionRow& argument : command.arguments) {
        const std::string name = argument.value + (argument.isRepeated ? "..." : "");
        text += argument.isRequired ? " " + name : " [" + name + "]";
    }
    return text;
}

std::string optionText(const OptionRow& option)
{
    std::string text;
    for (const std::string& name : option.names)
        text += (text.empty() ? "" : ", ") + name;
    if (!option.value.empty())
        text += (text.empty() ? "" : " ") + option.value;
    return text + (option.names.empty() && option.isRepeated ? "..." : "");
}

std::string descriptionText(const OptionRow& option)
{
    std::string text = option.description;
    if (option.takes == Takes::Words && option.value.find('|') == std::string::npos) {
        text += ": ";
        for (size_t w = 0; w < option.words.size(); ++w)
            text += (w == 0 ? "" : w + 1 == option.words.size() ? " or " : ", ") + option.words[w];
    }
    return option.byDefault.empty() ? text : text + " (default: " + option.byDefault + ")";
}

const std::vector<ExitStatus>& exitStatuses()
{
    static const std::vector<ExitStatus> statuses = {
        {"0", "done"},
        {"1", "the input is wrong, a file cannot be read or written, or what was asked for is not there"},
        {"2", "wrong usage: an unknown command or option, a missing argument"},
    };
    return statuses;
}

}  // namespace millrace::tools
