// SPDX-License-Identifier: Apache-2.0
// What all subcommands write to the terminal: errors, colours, tables, and text that came from somebody's file.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::tools {

// Writes "millrace: error: ..." to standard error and returns the exit status for it, 1.
int fail(const std::string& message);
void warn(const std::string& message);

// One line at the end of standard error, which must be a capable terminal, in place of the last; empty: none. What
// fail() and warn() write comes above it. From any thread, as these.
void showStatus(const std::string& line);

// True for a terminal that can do more than append characters: not where TERM is "dumb".
bool isCapableTerminal(int descriptor);

// For standard output; without effect unless that is a terminal, and where NO_COLOR is set or TERM is "dumb".
enum class Colour { Bold, Red, Green, Yellow, Grey };
std::string colour(Colour colour, std::string_view text);

// The text without control characters and broken UTF-8, each of which becomes U+FFFD: names come from files.
std::string printable(std::string_view text);
// The same for each line of it.
std::string printableLines(const std::string& text);

// Milliseconds with three digits behind the point.
std::string timeText(uint64_t nanoseconds);

// "1 234 567" would not sort and "1234567" is hard to read: bytes with a unit, exact below a KiB.
std::string bytesText(uint64_t bytes);

// Columns as wide as their widest cell, two spaces apart, no space at the end of a line.
class Table {
public:
    explicit Table(std::vector<std::string> header) : m_rows{std::move(header)} {}
    void add(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }
    size_t rowCount() const { return m_rows.size() - 1; }
    void print(std::ostream& out, std::string_view indent = "") const;

private:
    std::vector<std::vector<std::string>> m_rows;
};

}  // namespace millrace::tools
