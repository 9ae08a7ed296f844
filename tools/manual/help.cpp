// SPDX-License-Identifier: Apache-2.0
#include "tools/manual/help.h"

#include <sstream>

#include <CLI/CLI.hpp>

#include "tools/console.h"
#include "tools/manual/command_table.h"

namespace millrace::tools {

namespace {

constexpr size_t kWidth = 80;
constexpr size_t kColumn = 26;  // of descriptions

// Words from `column` on, broken before kWidth; the first line is thought to be at `column` already.
std::string wrap(const std::string& text, size_t column)
{
    std::istringstream words(text);
    std::string out;
    size_t at = column;
    for (std::string word; words >> word;) {
        if (at > column && at + 1 + word.size() > kWidth) {
            out += "\n" + std::string(column, ' ');
            at = column;
        } else if (at > column) {
            out += " ";
            ++at;
        }
        out += word;
        at += word.size();
    }
    return out;
}

void printRow(std::ostream& out, const std::string& left, const std::string& right)
{
    out << "  " << left;
    if (left.size() + 4 > kColumn)
        out << "\n" << std::string(kColumn, ' ');
    else
        out << std::string(kColumn - 2 - left.size(), ' ');
    out << wrap(right, kColumn) << "\n";
}

void printTitle(std::ostream& out, const std::string& title)
{
    out << "\n" << colour(Colour::Bold, title + ":") << "\n";
}

void printOptions(std::ostream& out, const char* title, const std::vector<OptionRow>& options)
{
    if (options.empty())
        return;
    printTitle(out, title);
    for (const OptionRow& option : options) {
        // Long names below each other.
        const bool isLong = !option.names.empty() && option.names.front().starts_with("--");
        printRow(out, (isLong ? "    " : "") + optionText(option), descriptionText(option));
    }
}

void printSection(std::ostream& out, const Section& section)
{
    if (section.title.empty())
        out << "\n";
    else
        printTitle(out, section.title);
    const size_t margin = section.title.empty() ? 0 : 2;
    std::string paragraph;
    const auto end = [&] {
        if (!paragraph.empty())
            out << std::string(margin, ' ') << wrap(paragraph, margin) << "\n";
        paragraph.clear();
    };
    for (const std::string& line : section.lines) {
        if (line.empty() || line.front() == ' ') {
            end();
            out << line << "\n";
        } else {
            paragraph += line + " ";
        }
    }
    end();
}

class HelpFormatter : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override
    {
        const CommandRow command = readCommand(*app);
        std::ostringstream out;
        out << wrap(command.summary + ".", 0) << "\n\n"
            << colour(Colour::Bold, "Usage:") << " " << wrap(usageText(command), 7) << "\n";
        if (command.name.empty()) {
            printTitle(out, "Commands");
            for (const CommandRow& row : readCommands(*app).commands)
                printRow(out, row.name, row.summary);
        }
        printOptions(out, "Arguments", command.arguments);
        printOptions(out, "Options", command.options);
        for (const Section& section : command.notes)
            printSection(out, section);
        printTitle(out, "Exit status");
        for (const ExitStatus& status : exitStatuses())
            out << "  " << status.status << "  " << wrap(status.meaning, 5) << "\n";
        return out.str();
    }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> createHelpFormatter()
{
    return std::make_shared<HelpFormatter>();
}

}  // namespace millrace::tools
