// SPDX-License-Identifier: Apache-2.0
#include "tools/manual/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace millrace::tools {

namespace {

constexpr size_t kMargin = 2;  // of lines that stay as they are

// A hyphen would become a typographical one, a backslash is a command, and so is a line that begins with a point or an
// apostrophe.
std::string escape(const std::string& text)
{
    std::string out;
    for (char c : text)
        out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string bold(const std::string& text)
{
    return "\\fB" + escape(text) + "\\fR";
}

std::string upperCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string pageName(const CommandRow& command)
{
    return command.name.empty() ? "millrace" : "millrace-" + command.name;
}

void printTitle(std::ostream& out, const std::string& title)
{
    out << ".SH " << escape(upperCase(title)) << "\n";
}

void printOptions(std::ostream& out, const char* title, const std::vector<OptionRow>& options)
{
    if (options.empty())
        return;
    printTitle(out, title);
    for (const OptionRow& option : options) {
        std::string tag;
        for (const std::string& name : option.names)
            tag += (tag.empty() ? "" : ", ") + bold(name);
        if (!option.value.empty())
            tag += (tag.empty() ? "" : " ") + ("\\fI" + escape(option.value) + "\\fR");
        out << ".TP\n" << tag << "\n" << escape(descriptionText(option)) << ".\n";
    }
}

void printLines(std::ostream& out, const std::vector<std::string>& lines)
{
    bool isExact = false;
    for (const std::string& line : lines) {
        const bool wantsExact = line.starts_with(' ');
        if (wantsExact != isExact) {
            out << (wantsExact ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n");
            isExact = wantsExact;
        }
        out << (line.empty() ? std::string(".PP") : escape(isExact ? line.substr(kMargin) : line)) << "\n";
    }
    out << (isExact ? ".fi\n.RE\n" : "");
}

void printCommands(std::ostream& out, const std::vector<CommandRow>& commands)
{
    printTitle(out, "Commands");
    for (const CommandRow& command : commands)
        out << ".TP\n" << bold(command.name) << "\n" << escape(command.summary) << ".\n";
}

void printExitStatus(std::ostream& out)
{
    printTitle(out, "Exit status");
    for (const ExitStatus& status : exitStatuses())
        out << ".TP\n" << bold(status.status) << "\n" << escape(status.meaning) << ".\n";
}

void printOtherPages(std::ostream& out, const CommandTable& table, const CommandRow& command)
{
    printTitle(out, "See also");
    std::string pages;
    const auto add = [&](const CommandRow& other) {
        if (other.name != command.name)
            pages += (pages.empty() ? "" : ",\n") + bold(pageName(other)) + "(1)";
    };
    add(table.tool);
    std::ranges::for_each(table.commands, add);
    out << pages << "\n";
}

}  // namespace

std::string manPage(const CommandTable& table, const CommandRow& command)
{
    std::ostringstream out;
    out << ".TH " << escape(upperCase(pageName(command))) << " 1 \"\" \"Millrace " MILLRACE_VERSION
        << "\" \"Millrace\"\n.nh\n.ad l\n";
    printTitle(out, "Name");
    std::string summary = command.summary;
    summary.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(summary.front())));
    out << escape(pageName(command)) << " \\- " << escape(summary) << "\n";
    printTitle(out, "Synopsis");
    // As long as the name of the page: a space for its hyphen.
    const std::string usage = usageText(command);
    out << bold(usage.substr(0, pageName(command).size())) << escape(usage.substr(pageName(command).size())) << "\n";
    if (command.name.empty())
        printCommands(out, table.commands);
    printOptions(out, "Arguments", command.arguments);
    printOptions(out, "Options", command.options);
    for (const Section& section : command.notes) {
        printTitle(out, section.title.empty() ? "Notes" : section.title);
        printLines(out, section.lines);
    }
    printExitStatus(out);
    printOtherPages(out, table, command);
    return out.str();
}

}  // namespace millrace::tools
