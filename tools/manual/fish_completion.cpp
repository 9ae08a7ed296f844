// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "tools/manual/completion.h"

namespace millrace::tools {

namespace {

std::string quote(const std::string& text)
{
    std::string out = "'";
    for (char c : text)
        out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
    return out + "'";
}

std::string words(const OptionRow& option)
{
    std::string list;
    for (const std::string& word : option.words)
        list += (list.empty() ? "" : " ") + word;
    return list;
}

// How to complete a value; nothing else but files and folders is offered where this does not allow it.
std::string value(const OptionRow& option)
{
    switch (option.takes) {
        case Takes::File:
            return " -r -F";
        case Takes::Folder:
            return " -x -a '(__fish_complete_directories)'";
        case Takes::Words:
            return " -x -a " + quote(words(option));
        case Takes::Text:
            return " -x";
        case Takes::Nothing:
            break;
    }
    return "";
}

void printOptions(std::ostream& out, const CommandRow& command, const std::string& condition)
{
    for (const OptionRow& option : command.options) {
        out << "complete -c millrace -n " << condition;
        for (const std::string& name : option.names)
            out << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
        out << value(option) << " -d " << quote(option.description) << "\n";
    }
}

void printArgument(std::ostream& out, const OptionRow& argument, const std::string& condition)
{
    out << "complete -c millrace -n " << condition;
    if (argument.takes == Takes::Words)
        out << " -a " << quote(words(argument));
    else
        out << (argument.takes == Takes::Text ? " -f" : " -F");
    out << "\n";
}

}  // namespace

std::string fishCompletion(const CommandTable& table)
{
    std::ostringstream out;
    out << "# Completion of millrace for fish. Made by `millrace completion fish`.\n\ncomplete -c millrace -f\n";
    printOptions(out, table.tool, "__fish_use_subcommand");
    for (const CommandRow& command : table.commands) {
        const std::string condition = quote("__fish_seen_subcommand_from " + command.name);
        out << "\ncomplete -c millrace -n __fish_use_subcommand -a " << command.name << " -d " << quote(command.summary)
            << "\n";
        printOptions(out, command, condition);
        for (const OptionRow& argument : command.arguments)
            printArgument(out, argument, condition);
    }
    return out.str();
}

}  // namespace millrace::tools
