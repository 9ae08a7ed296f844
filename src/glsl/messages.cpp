// SPDX-License-Identifier: Apache-2.0
#include "glsl/messages.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

// Not with std::regex, whose recursion a long line could make overflow the stack.
namespace millrace::glsl {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isNamePart(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct Place {
    std::string file;
    uint32_t line = 0;
    std::string column;  // ":COLUMN", or empty
    std::string reason;
};

// "FILE:LINE: REASON" or "FILE:LINE:COLUMN: REASON"; the name of the file may have colons too.
std::optional<Place> findPlace(const std::string& text)
{
    for (size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
        size_t end = colon + 1;
        while (end < text.size() && isDigit(text[end]))
            ++end;
        Place place;
        const auto read = std::from_chars(text.data() + colon + 1, text.data() + end, place.line);
        size_t behind = end;
        if (behind > colon + 1 && behind + 1 < text.size() && text[behind] == ':' && isDigit(text[behind + 1])) {
            ++behind;
            while (behind < text.size() && isDigit(text[behind]))
                ++behind;
            if (std::string_view(text).substr(behind).starts_with(": ")) {
                place.column = text.substr(end, behind - end);
                end = behind;
            }
        }
        if (end > colon + 1 && read.ec == std::errc() && std::string_view(text).substr(end).starts_with(": ")) {
            place.file = text.substr(0, colon);
            place.reason = text.substr(end + 2);
            return place;
        }
    }
    return std::nullopt;
}

// Blocks that stand for payloads have the payload's name.
std::string withNamesOfPayloads(std::string reason, const Declarations& declarations)
{
    for (size_t at = reason.find(kBlock); at != std::string::npos; at = reason.find(kBlock, at)) {
        size_t end = at + kBlock.size();
        while (end < reason.size() && isDigit(reason[end]))
            ++end;
        size_t number = declarations.size();
        std::from_chars(reason.data() + at + kBlock.size(), reason.data() + end, number);
        reason.replace(at, end - at, number < declarations.size() ? declarations[number].name : "payload");
    }
    return reason;
}

// glslang's names of blocks that have none: "in structure 'anon@1'".
std::string withoutNamesOfBlocks(std::string reason)
{
    constexpr std::string_view kNameless = " 'anon@";
    for (size_t at = reason.find(kNameless); at != std::string::npos; at = reason.find(kNameless, at)) {
        const size_t end = reason.find('\'', at + kNameless.size());
        reason.erase(at, end == std::string::npos ? end : end + 1 - at);
    }
    return reason;
}

// What glslang says of our own names, which it puts in front: 'mr_name' : reason
std::string inUsersWords(const std::string& reason, const Declarations& declarations)
{
    const std::string output = "'" + std::string(kOutputNumber);
    if (reason.starts_with(output)) {
        size_t end = output.size();
        while (end < reason.size() && isNamePart(reason[end]))
            ++end;
        const std::string name = reason.substr(output.size(), end - output.size());
        const bool isTwice = reason.find("redefinition") != std::string::npos;
        return "'" + name +
               (isTwice ? "' : there is another nodeout of this name" : "' : no nodeout of this name above");
    }
    const size_t colon = reason.find("' : ");
    const bool isOurs =
        reason.starts_with("'" + std::string(kReserved)) && !reason.starts_with("'" + std::string(kBlock));
    const std::string text = isOurs && colon != std::string::npos ? reason.substr(colon + 4) : reason;
    return withNamesOfPayloads(withoutNamesOfBlocks(text), declarations);
}

std::string hintsOf(const Declarations& declarations, const Place& place)
{
    std::string out;
    const auto isAbout = [&](std::string_view word) { return place.reason.find(word) != std::string::npos; };
    if (!isAbout("syntax error") && !isAbout("const") && !isAbout("convert"))
        return out;
    for (const Declaration& declaration : declarations) {
        const auto [first, last] = declaration.hints.equal_range(place.line);
        for (auto hint = first; declaration.file == place.file && hint != last; ++hint)
            out += (out.empty() ? "" : "; ") + hint->second;
    }
    return out.empty() ? out : " (" + out + ")";
}

// The count of errors, and that there will be no more.
bool isNoise(const std::string& text)
{
    return text.empty() || text.find(" compilation errors.") != std::string::npos ||
           text.find("'' : compilation terminated") != std::string::npos;
}

}  // namespace

Messages readLog(const std::string& log, const std::string& file, const Declarations& declarations)
{
    constexpr std::string_view kError = "ERROR: ";
    constexpr std::string_view kWarning = "WARNING: ";
    constexpr size_t kMostErrors = 20;
    Messages out;
    std::set<std::pair<std::string, uint32_t>> wrong;  // files and lines
    std::istringstream lines(log);
    for (std::string text; std::getline(lines, text);) {
        text.erase(text.find_last_not_of(" \t\r") + 1);
        if (isNoise(text))
            continue;
        const bool isWarning = text.starts_with(kWarning);
        text.erase(0, isWarning ? kWarning.size() : text.starts_with(kError) ? kError.size() : 0);
        std::string& list = isWarning ? out.warnings : out.errors;
        const std::string kind = isWarning ? ": warning: " : ": error: ";
        const auto place = findPlace(text);
        if (place && !isWarning && (wrong.size() == kMostErrors || !wrong.emplace(place->file, place->line).second))
            continue;
        if (place) {
            list += place->file + ":" + std::to_string(place->line) + place->column + kind +
                    inUsersWords(place->reason, declarations) + (isWarning ? "" : hintsOf(declarations, *place)) + "\n";
        } else {
            list += file + kind + text + "\n";
        }
    }
    return out;
}

}  // namespace millrace::glsl
