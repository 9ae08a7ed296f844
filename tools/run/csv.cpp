// SPDX-License-Identifier: Apache-2.0
#include "tools/run/csv.h"

#include <algorithm>

#include "base/input_file.h"
#include "base/near_word.h"
#include "data/csv.h"
#include "tools/run/numbers.h"

namespace millrace::tools::run {

namespace {

struct Field {
    std::string text;
    size_t offset = 0;
};

class Table {
public:
    explicit Table(const std::string& file) : m_file(file)
    {
        if (const Status read = readInputFile(file, m_text); !read)
            throw InputError(file, {}, "", withReason("cannot read the file", read));
        m_at = m_text.size() - withoutByteOrderMark(m_text).size();
    }

    [[noreturn]] void fail(size_t offset, const std::string& message) const
    {
        throw InputError(m_file, positionAt(m_text, offset), "", message);
    }

    size_t at() const { return m_at; }

    // The next line that is not empty; false at the end.
    bool nextRow(std::vector<Field>& fields)
    {
        m_at = std::min(m_text.find_first_not_of("\r\n", m_at), m_text.size());
        fields.clear();
        while (m_at < m_text.size()) {
            fields.push_back(m_text[m_at] == '"' ? quoted() : plain());
            if (m_at == m_text.size() || m_text[m_at] != ',')
                return true;
            ++m_at;
        }
        if (!fields.empty())
            fields.push_back({"", m_at});  // behind a comma at the end of the file
        return !fields.empty();
    }

private:
    Field plain()
    {
        const size_t end = std::min(m_text.find_first_of(",\r\n", m_at), m_text.size());
        Field field{m_text.substr(m_at, end - m_at), m_at};
        m_at = end;
        const auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
        while (!field.text.empty() && isBlank(field.text.back()))
            field.text.pop_back();
        const size_t first = std::min(field.text.find_first_not_of(" \t"), field.text.size());
        field.text.erase(0, first);
        field.offset += first;
        return field;
    }

    Field quoted()
    {
        Field field{"", m_at++};
        while (m_at < m_text.size()) {
            const char c = m_text[m_at++];
            if (c == '"' && (m_at == m_text.size() || m_text[m_at] != '"')) {
                if (m_at < m_text.size() && std::string_view(",\r\n").find(m_text[m_at]) == std::string_view::npos)
                    fail(m_at, "a comma or the end of the line is expected behind the quotation mark");
                return field;
            }
            m_at += c == '"' ? 1 : 0;
            field.text += c;
        }
        fail(field.offset, "the quotation mark is never closed");
    }

    std::string m_file;
    std::string m_text;
    size_t m_at = 0;
};

// For each column of the file, which of the type's it is.
std::vector<size_t> matchHeader(const Table& table, const std::vector<Field>& header,
                                const std::vector<Column>& columns)
{
    std::vector<std::string> names;
    names.reserve(columns.size());
    for (const Column& column : columns)
        names.push_back(column.name);
    std::vector<size_t> out;
    for (const Field& field : header) {
        auto found = std::ranges::find(names, field.text);
        if (found == names.end())
            found = std::ranges::find(names, data::withoutFormulaMark(field.text));
        const auto index = static_cast<size_t>(found - names.begin());
        if (found == names.end())
            table.fail(field.offset, "no column \"" + field.text + "\" is expected" + suggestion(field.text, names));
        if (std::ranges::find(out, index) != out.end())
            table.fail(field.offset, "the column \"" + field.text + "\" appears twice");
        out.push_back(index);
    }
    for (size_t c = 0; c < columns.size(); ++c)
        if (std::ranges::find(out, c) == out.end())
            table.fail(0, "the column \"" + names[c] + "\" is missing");
    return out;
}

}  // namespace

void readCsv(const std::string& file, const DataTypeRef& type, uint64_t stride, Bytes& bytes)
{
    const std::vector<Column> columns = columnsOf(type);
    Table table(file);
    std::vector<Field> fields;
    if (!table.nextRow(fields))
        table.fail(0, "a first line with the names of the columns is expected");
    const std::vector<size_t> order = matchHeader(table, fields, columns);
    while (table.nextRow(fields)) {
        if (fields.size() != order.size()) {
            table.fail(fields[0].offset, "the line has " + std::to_string(fields.size()) +
                                             " fields, the first line has " + std::to_string(order.size()));
        }
        const size_t base = bytes.size();
        bytes.resize(base + std::max(stride, type->bytes));
        for (size_t f = 0; f < fields.size(); ++f) {
            const Column& column = columns[order[f]];
            if (const auto error = scalarFromText(*column.scalar, fields[f].text, bytes.data() + base + column.offset))
                table.fail(fields[f].offset, *error);
        }
    }
}

std::string writeCsv(const DataTypeRef& type, std::span<const uint8_t> bytes, uint64_t stride, uint64_t count)
{
    const std::vector<Column> columns = columnsOf(type);
    std::string out = data::csvNames(columns) + "\n";
    for (uint64_t row = 0; row < count; ++row)
        out += data::csvValues(columns, bytes.subspan(row * stride)) + "\n";
    return out;
}

}  // namespace millrace::tools::run
