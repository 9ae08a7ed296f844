// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "tools/manual/completion.h"

namespace millrace::tools {

namespace {

// For single quotes; brackets, colons and backslashes mean something to _arguments.
std::string escape(const std::string& text)
{
    std::string out;
    for (char c : text)
        if (c == '\'')
            out += "'\\''";
        else
            out += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
    return out;
}

// ":FILE:_files"
std::string value(const OptionRow& option)
{
    std::string action = " ";
    if (option.takes == Takes::File) {
        action = "_files";
    } else if (option.takes == Takes::Folder) {
        action = "_files -/";
    } else if (option.takes == Takes::Words) {
        action = "(";
        for (const std::string& word : option.words)
            action += (action.size() == 1 ? "" : " ") + word;
        action += ")";
    }
    return ":" + escape(option.value) + ":" + action;
}

void printOptions(std::ostream& out, const CommandRow& command, const char* indent)
{
    for (const OptionRow& option : command.options) {
        std::string all;
        for (const std::string& name : option.names)
            all += (all.empty() ? "" : " ") + name;
        for (const std::string& name : option.names) {
            const bool takesValue = option.takes != Takes::Nothing;
            const char* form = !takesValue ? "" : name.starts_with("--") ? "=" : "+";
            out << indent << "'" << (option.isRepeated ? "*" : "(" + all + ")") << name << form << "["
                << escape(option.description) << "]" << (takesValue ? value(option) : "") << "' \\\n";
        }
    }
}

void printCommand(std::ostream& out, const CommandRow& command)
{
    out << "                " << command.name << ")\n                    _arguments -S \\\n";
    printOptions(out, command, "                        ");
    for (const OptionRow& argument : command.arguments)
        out << "                        '" << (argument.isRepeated ? "*" : "1") << value(argument) << "' \\\n";
    out << "                        && ret=0\n                    ;;\n";
}

}  // namespace

std::string zshCompletion(const CommandTable& table)
{
    std::ostringstream out;
    out << "#compdef millrace\n# Completion of millrace for zsh. Made by `millrace completion zsh`.\n\n"
           "_millrace() {\n    local curcontext=$curcontext state line ret=1\n    _arguments -C \\\n";
    printOptions(out, table.tool, "        ");
    out << "        '1: :->command' '*:: :->arguments' && ret=0\n"
           "    case $state in\n        command)\n            local -a commands=(\n";
    for (const CommandRow& command : table.commands)
        out << "                '" << command.name << ":" << escape(command.summary) << "'\n";
    out << "            )\n            _describe command commands && ret=0\n            ;;\n"
           "        arguments)\n            case $words[1] in\n";
    for (const CommandRow& command : table.commands)
        printCommand(out, command);
    // The file is either a function that completion calls, or read by a shell that wants it at once.
    out << "            esac\n            ;;\n    esac\n    return ret\n}\n\n"
           "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n    _millrace \"$@\"\nelse\n"
           "    compdef _millrace millrace\nfi\n";
    return out.str();
}

}  // namespace millrace::tools
