// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "tools/manual/completion.h"

namespace millrace::tools {

namespace {

// Completes the word as a value. The functions are in the script.
std::string reply(const OptionRow& option)
{
    switch (option.takes) {
        case Takes::File:
            return "_millrace_files -f";
        case Takes::Folder:
            return "_millrace_files -d";
        case Takes::Words: {
            std::string words;
            for (const std::string& word : option.words)
                words += (words.empty() ? "" : " ") + word;
            return "_millrace_words '" + words + "'";
        }
        case Takes::Text:
        case Takes::Nothing:
            break;
    }
    return ":";
}

// After an option that takes a value, the value.
void printValues(std::ostream& out, const CommandRow& command)
{
    for (const OptionRow& option : command.options) {
        if (option.takes == Takes::Nothing)
            continue;
        std::string patterns;
        for (const std::string& name : option.names)
            patterns += (patterns.empty() ? "'" : " | '") + command.name + " " + name + "'";
        out << "        " << patterns << ") " << reply(option) << "; return ;;\n";
    }
}

std::string optionNames(const CommandRow& command)
{
    std::string names;
    for (const OptionRow& option : command.options)
        for (const std::string& name : option.names)
            names += (names.empty() ? "" : " ") + name;
    return names;
}

constexpr const char* kStart = R"(# Completion of millrace for bash. Made by `millrace completion bash`.

_millrace_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

_millrace_files() {
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

_millrace() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= i
    COMPREPLY=()
    # --option=value is three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then
            command=${COMP_WORDS[i]}
            break
        fi
    done
    case "$command $previous" in
)";

}  // namespace

std::string bashCompletion(const CommandTable& table)
{
    std::ostringstream out;
    out << kStart;
    for (const CommandRow& command : table.commands)
        printValues(out, command);
    std::string names;
    for (const CommandRow& command : table.commands)
        names += command.name + " ";
    out << "    esac\n    case \"$command\" in\n        '') _millrace_words '" << names << optionNames(table.tool)
        << "' ;;\n";
    for (const CommandRow& command : table.commands) {
        out << "        " << command.name << ")\n"
            << "            if [[ $current == -* ]]; then\n                _millrace_words '" << optionNames(command)
            << "'\n            else\n                "
            << (command.arguments.empty() ? ":" : reply(command.arguments.front())) << "\n            fi\n"
            << "            ;;\n";
    }
    out << "    esac\n}\n\ncomplete -F _millrace millrace\n";
    return out.str();
}

}  // namespace millrace::tools
