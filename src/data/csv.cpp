// SPDX-License-Identifier: Apache-2.0
#include "data/csv.h"

#include <algorithm>

#include "data/scalars.h"

namespace millrace::data {

namespace {

constexpr std::string_view kFormulaBegins = "=+-@\t\r\n";

bool isFormula(std::string_view text)
{
    if (text.empty() || kFormulaBegins.find(text.front()) == std::string_view::npos)
        return false;
    const bool isWord =
        text.size() > 1 && text.front() == '@' && text.find_first_not_of("0123456789", 1) == std::string_view::npos;
    return !isWord;
}

}  // namespace

std::string csvText(std::string_view text)
{
    const bool marks = isFormula(text);
    if (!marks && text.find_first_of(",\"\r\n\t") == std::string_view::npos)
        return std::string(text);
    std::string out = marks ? "\"'" : "\"";
    for (const char c : text)
        out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

std::string_view withoutFormulaMark(std::string_view field)
{
    return field.starts_with('\'') && isFormula(field.substr(1)) ? field.substr(1) : field;
}

std::string csvNames(const std::vector<Column>& columns)
{
    std::string out;
    for (const Column& column : columns)
        out += (&column == columns.data() ? "" : ",") + csvText(column.name);
    return out;
}

std::string csvValues(const std::vector<Column>& columns, std::span<const uint8_t> bytes)
{
    std::string out;
    for (const Column& column : columns) {
        uint8_t value[8] = {};
        const auto there = bytes.subspan(std::min<size_t>(column.offset, bytes.size()));
        std::copy_n(there.begin(), std::min<size_t>(there.size(), column.scalar->bytes), value);
        out += (&column == columns.data() ? "" : ",") + scalarText(*column.scalar, value);
    }
    return out;
}

}  // namespace millrace::data
