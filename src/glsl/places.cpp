// SPDX-License-Identifier: Apache-2.0
#include "glsl/places.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/input_file.h"

namespace millrace::glsl {

namespace {

constexpr std::string_view kKinds[] = {": error: ", ": warning: "};
constexpr size_t kLongestLine = 200;  // generated text is not shown

struct Message {
    std::string file;
    size_t line = 0;
    size_t column = 0;  // 0: not known
    std::string rest;   // ": error: REASON"
};

// Takes ":NUMBER" off the end.
std::optional<size_t> takeNumber(std::string& text)
{
    const size_t colon = text.rfind(':');
    size_t number = 0;
    const char* end = text.data() + text.size();
    if (colon == std::string::npos || colon + 1 == text.size() ||
        std::from_chars(text.data() + colon + 1, end, number).ptr != end)
        return std::nullopt;
    text.resize(colon);
    return number;
}

std::optional<Message> split(const std::string& text)
{
    size_t at = std::string::npos;
    for (std::string_view kind : kKinds)
        at = std::min(at, text.find(kind));
    if (at == std::string::npos)
        return std::nullopt;
    Message out{text.substr(0, at), 0, 0, text.substr(at)};
    const auto last = takeNumber(out.file);
    if (!last)
        return std::nullopt;
    out.line = *last;
    std::string file = out.file;
    if (const auto before = takeNumber(file))
        out = {file, *before, *last, out.rest};
    return out;
}

bool isWordPart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Columns of the text in the line, not as a part of a longer word.
std::vector<size_t> columnsOf(std::string_view text, std::string_view line)
{
    std::vector<size_t> columns;
    for (size_t at = line.find(text); at != std::string_view::npos; at = line.find(text, at + 1)) {
        const size_t end = at + text.size();
        const bool isLonger = (at > 0 && isWordPart(line[at - 1]) && isWordPart(text.front())) ||
                              (end < line.size() && isWordPart(line[end]) && isWordPart(text.back()));
        if (!isLonger)
            columns.push_back(at + 1);
    }
    return columns;
}

// What the reason has in quotes of either kind, in its order.
std::vector<std::string_view> quotedIn(std::string_view reason)
{
    std::vector<std::string_view> out;
    for (size_t at = reason.find_first_of("'\""); at != std::string_view::npos; at = reason.find_first_of("'\"", at)) {
        const size_t end = reason.find(reason[at], at + 1);
        if (end == std::string_view::npos)
            break;
        if (end > at + 1)
            out.push_back(reason.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return out;
}

// glslang's column is that of the text which the declarations of the dialect became.
size_t columnIn(std::string_view line, const Message& message)
{
    const auto distance = [&](size_t column) {
        return column > message.column ? column - message.column : message.column - column;
    };
    // What is wrong in a declaration is said to be wrong of "node", which is where it is not.
    std::vector<std::string_view> texts = quotedIn(message.rest);
    std::ranges::stable_partition(texts, [](std::string_view text) { return !text.starts_with("node"); });
    for (std::string_view text : texts) {
        const std::vector<size_t> columns = columnsOf(text, line);
        if (!columns.empty())
            return *std::ranges::min_element(columns, {}, distance);
    }
    const size_t first = std::min(line.find_first_not_of(" \t"), line.size()) + 1;
    return message.column >= first && message.column <= line.size() + 1 ? message.column : first;
}

// Blanks in place of tabs and other control characters, so that the mark is below what it means.
std::string excerpt(std::string_view line, size_t column)
{
    std::string text(line);
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    const auto isCharacter = [](unsigned char c) { return (c & 0xc0) != 0x80; };
    const auto before = std::count_if(text.begin(), text.begin() + static_cast<ptrdiff_t>(column) - 1, isCharacter);
    return "    " + text + "\n    " + std::string(static_cast<size_t>(before), ' ') + "^\n";
}

class Sources {
public:
    Sources(const std::string& file, const std::string& text) : m_file(file), m_text(text) {}

    std::optional<std::string> line(const std::string& file, size_t number)
    {
        if (file != m_otherFile && file != m_file) {
            m_otherFile = file;
            std::string text;
            (void)readInputFile(file, text);
            m_other = withoutByteOrderMark(text);
        }
        std::istringstream lines(file == m_file ? m_text : m_other);
        std::string text;
        for (size_t n = 0; n < number; ++n)
            if (!std::getline(lines, text))
                return std::nullopt;
        if (number == 0)
            return std::nullopt;
        text.erase(text.find_last_not_of(" \t\r") + 1);
        return text;
    }

private:
    const std::string& m_file;
    const std::string& m_text;
    std::string m_otherFile;
    std::string m_other;
};

}  // namespace

std::string withPlaces(const std::string& messages, const std::string& file, const std::string& source)
{
    Sources sources(file, source);
    std::string out;
    std::istringstream lines(messages);
    for (std::string text; std::getline(lines, text);) {
        const auto message = split(text);
        const auto line = message ? sources.line(message->file, message->line) : std::nullopt;
        if (!line) {
            out += text + "\n";
            continue;
        }
        const size_t column = columnIn(*line, *message);
        out +=
            message->file + ":" + std::to_string(message->line) + ":" + std::to_string(column) + message->rest + "\n";
        if (!line->empty() && line->size() <= kLongestLine)
            out += excerpt(*line, column);
    }
    return out;
}

}  // namespace millrace::glsl
