// SPDX-License-Identifier: Apache-2.0
#include "settings/capture_filter.h"

#include <charconv>
#include <string_view>

#include "abi/capture.h"
#include "base/near_word.h"

namespace millrace::settings {

namespace {

constexpr std::string_view kSpace = " \t\n";

struct Operator {
    std::string_view text;
    uint32_t compare;
};

constexpr std::string_view kKeywords[] = {"level", "first", "where"};

// The longer ones first.
constexpr Operator kOperators[] = {
    {"==", abi::kCompareEqual},        {"!=", abi::kCompareUnequal}, {"<=", abi::kCompareLessEqual},
    {">=", abi::kCompareGreaterEqual}, {"<", abi::kCompareLess},     {">", abi::kCompareGreater},
    {"=", abi::kCompareEqual},
};

bool toNumber(std::string_view text, uint32_t& out)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
}

std::string_view trim(std::string_view text)
{
    const size_t first = text.find_first_not_of(kSpace);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Parses one filter.
class Parser {
public:
    explicit Parser(std::string_view text) : m_text(trim(text)), m_rest(m_text) {}

    Result<runtime::CaptureFilter> run()
    {
        if (!node())
            return fail("a node's name is expected first, in '' if it has spaces");
        while (!m_rest.empty()) {
            const std::string_view keyword = word();
            if (keyword == "level") {
                m_filter.level.emplace();
                if (!toNumber(word(), *m_filter.level))
                    return fail("a number is expected behind \"level\"");
            } else if (keyword == "first") {
                if (!toNumber(word(), m_filter.first) || m_filter.first == 0)
                    return fail("a number above 0 is expected behind \"first\"");
            } else if (keyword == "where") {
                if (!condition())
                    return fail("a member, one of == != < <= > >= and a number are expected behind \"where\"");
            } else {
                return fail(noneOf(keyword, kKeywords));
            }
        }
        return std::move(m_filter);
    }

private:
    Diagnostic fail(const std::string& why) const
    {
        return {"", "", "capture \"" + std::string(m_text) + "\": " + why};
    }

    std::string_view word()
    {
        const size_t end = std::min(m_rest.find_first_of(kSpace), m_rest.size());
        const std::string_view found = m_rest.substr(0, end);
        m_rest = trim(m_rest.substr(end));
        return found;
    }

    bool node()
    {
        const bool isQuoted = m_rest.starts_with('\'');
        const size_t end = isQuoted ? m_rest.find('\'', 1) : std::min(m_rest.find_first_of(" \t\n["), m_rest.size());
        if (end == std::string_view::npos)
            return false;
        m_filter.node = m_rest.substr(isQuoted ? 1 : 0, end - (isQuoted ? 1 : 0));
        m_rest = trim(m_rest.substr(end + (isQuoted ? 1 : 0)));
        if (!m_rest.starts_with('['))
            return !m_filter.node.empty();
        const size_t close = m_rest.find(']');
        if (close == std::string_view::npos || !toNumber(m_rest.substr(1, close - 1), m_filter.index.emplace()))
            return false;
        m_rest = trim(m_rest.substr(close + 1));
        return !m_filter.node.empty();
    }

    // To the end, or to the next keyword.
    bool condition()
    {
        size_t at = std::string_view::npos;
        const Operator* found = nullptr;
        for (const Operator& candidate : kOperators) {
            const size_t place = m_rest.find(candidate.text);
            if (place < at) {
                at = place;
                found = &candidate;
            }
        }
        if (!found)
            return false;
        m_filter.compare = found->compare;
        m_filter.member = trim(m_rest.substr(0, at));
        m_rest = trim(m_rest.substr(at + found->text.size()));
        m_filter.value = word();
        return !m_filter.member.empty() && m_filter.member.find_first_of(kSpace) == std::string::npos &&
               !m_filter.value.empty();
    }

    std::string_view m_text;
    std::string_view m_rest;
    runtime::CaptureFilter m_filter;
};

}  // namespace

Result<std::vector<runtime::CaptureFilter>> parseCaptureFilters(const std::string& text)
{
    std::vector<runtime::CaptureFilter> filters;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(';', at), text.size());
        const std::string_view part = trim(std::string_view(text).substr(at, end - at));
        at = end + 1;
        if (part.empty())
            continue;
        Result<runtime::CaptureFilter> filter = Parser(part).run();
        if (!filter)
            return filter.error();
        filters.push_back(std::move(*filter));
    }
    return filters;
}

}  // namespace millrace::settings
