// SPDX-License-Identifier: Apache-2.0
#include "tools/console.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <sstream>

namespace millrace::tools {

namespace {

bool wantsColours(int descriptor)
{
    const char* noColour = std::getenv("NO_COLOR");
    return isCapableTerminal(descriptor) && (noColour == nullptr || *noColour == '\0');
}

constexpr const char* kClearLine = "\r\033[K";

// Layers speak on threads of their own.
std::mutex s_errorMutex;
std::string s_status;

void complain(const char* code, const char* severity, const std::string& message)
{
    static const bool colours = wantsColours(STDERR_FILENO);
    const std::lock_guard lock(s_errorMutex);
    std::cerr << (s_status.empty() ? "" : kClearLine) << "millrace: " << (colours ? code : "") << severity
              << (colours ? "\033[0m" : "") << ": " << message << "\n"
              << s_status << std::flush;
}

// Bytes of the well-formed UTF-8 sequence at the start of the text; 0 if there is none.
size_t sequenceLength(std::string_view text)
{
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length > text.size())
        return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    const bool isOverlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
    const bool isOutside = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
    return isOverlong || isOutside ? 0 : length;
}

// In characters as a terminal counts them, nearly: names outside of ASCII are rare.
size_t width(std::string_view text)
{
    size_t count = 0;
    bool isColour = false;  // an escape sequence, up to its letter
    for (char c : text) {
        isColour = isColour || c == '\033';
        count += !isColour && (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
        isColour = isColour && c != 'm';
    }
    return count;
}

}  // namespace

bool isCapableTerminal(int descriptor)
{
    const char* terminal = std::getenv("TERM");
    return isatty(descriptor) != 0 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

int fail(const std::string& message)
{
    complain("\033[31m", "error", message);
    return 1;
}

void warn(const std::string& message)
{
    complain("\033[33m", "warning", message);
}

void showStatus(const std::string& line)
{
    const std::lock_guard lock(s_errorMutex);
    std::cerr << kClearLine << line << std::flush;
    s_status = line;
}

std::string colour(Colour colour, std::string_view text)
{
    static const bool colours = wantsColours(STDOUT_FILENO);
    constexpr std::array<const char*, 5> kCodes = {"\033[1m", "\033[31m", "\033[32m", "\033[33m", "\033[90m"};
    return colours ? kCodes[static_cast<size_t>(colour)] + std::string(text) + "\033[0m" : std::string(text);
}

std::string printable(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const size_t length = sequenceLength(text);
        const auto lead = static_cast<unsigned char>(text[0]);
        // C1 controls are C2 80 to C2 9F.
        const bool isControl =
            lead < 0x20 || lead == 0x7f || (lead == 0xc2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xa0);
        out += length == 0 || isControl ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
        text.remove_prefix(std::max<size_t>(length, 1));
    }
    return out;
}

std::string printableLines(const std::string& text)
{
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);)
        out += (out.empty() ? "" : "\n") + printable(line);
    return out;
}

std::string timeText(uint64_t nanoseconds)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.3f ms", static_cast<double>(nanoseconds) * 1e-6);
    return text;
}

std::string bytesText(uint64_t bytes)
{
    constexpr std::array<const char*, 5> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    auto value = static_cast<double>(bytes);
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
    return text;
}

void Table::print(std::ostream& out, std::string_view indent) const
{
    std::vector<size_t> widths;
    for (const auto& row : m_rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], width(row[c]));
    }
    for (size_t r = 0; r < m_rows.size(); ++r) {
        std::string line;
        size_t missing = 0;
        for (size_t c = 0; c < m_rows[r].size(); ++c) {
            const std::string& cell = m_rows[r][c];
            if (!cell.empty()) {
                line += std::string(missing, ' ') + cell;
                missing = 0;
            }
            missing += widths[c] - width(cell) + 2;
        }
        out << indent << (r == 0 ? colour(Colour::Bold, line) : line) << "\n";
    }
}

}  // namespace millrace::tools
