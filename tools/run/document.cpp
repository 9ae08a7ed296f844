// SPDX-License-Identifier: Apache-2.0
#include "tools/run/document.h"

#include <algorithm>

#include "base/input_file.h"
#include "base/near_word.h"
#include "tools/files.h"
#include "tools/run/parse_json.h"

namespace millrace::tools::run {

namespace {

const char* kindOf(const Json& json)
{
    switch (json.type()) {
        case Json::value_t::null:
            return "null";
        case Json::value_t::object:
            return "an object";
        case Json::value_t::array:
            return "an array";
        case Json::value_t::string:
            return "a string";
        case Json::value_t::boolean:
            return "a boolean";
        default:
            return "a number";
    }
}

std::string escaped(const std::string& key)
{
    std::string out;
    for (const char c : key)
        out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}

// Only errors need it, so nobody carries paths around.
bool findPointer(const Json& json, const Place& place, const Place* wanted, std::string& pointer)
{
    if (&place == wanted)
        return true;
    const size_t length = pointer.size();
    size_t i = 0;
    for (auto item = json.begin(); item != json.end() && i < place.children.size(); ++item, i++) {
        pointer += "/" + (json.is_object() ? escaped(item.key()) : std::to_string(i));
        if (findPointer(*item, place.children[i], wanted, pointer))
            return true;
        pointer.resize(length);
    }
    return false;
}

std::string listOf(std::initializer_list<std::string_view> words)
{
    std::string list;
    for (const std::string_view word : words)
        list.append(list.empty() ? "" : ", ").append(word);
    return list;
}

}  // namespace

Position positionAt(std::string_view text, size_t offset)
{
    const std::string_view before = withoutByteOrderMark(text.substr(0, offset));
    const size_t newline = before.rfind('\n');
    const std::string_view line = newline == std::string_view::npos ? before : before.substr(newline + 1);
    // Columns count characters, as editors do.
    const auto characters =
        std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    return {static_cast<size_t>(std::ranges::count(before, '\n')) + 1, static_cast<size_t>(characters) + 1};
}

InputError::InputError(std::string file, Position position, std::string pointer, const std::string& message)
    : std::runtime_error(message), m_file(std::move(file)), m_position(position), m_pointer(std::move(pointer))
{
}

std::string InputError::text() const
{
    std::string out = m_file;
    if (m_position.line > 0)
        out += ":" + std::to_string(m_position.line) + ":" + std::to_string(m_position.column);
    return (out.empty() ? out : out + ": ") + what();
}

Document Document::read(const std::string& file)
{
    Document out;
    out.m_file = inputName(file);
    if (const Status read = readInput(file, out.m_text); !read)
        throw InputError(out.m_file, {}, "", withReason("cannot read the file", read));
    parseJson(out.m_file, out.m_text, out.m_json, out.m_place);
    return out;
}

Value Document::root() const
{
    return {*this, m_json, m_place};
}

void Value::fail(const std::string& message) const
{
    std::string pointer;
    (void)findPointer(m_document->m_json, m_document->m_place, m_place, pointer);
    throw InputError(file(), positionAt(m_document->m_text, m_place->offset), pointer, message);
}

void Value::allowKeys(std::initializer_list<std::string_view> keys) const
{
    for (const auto& [key, value] : members()) {
        if (std::ranges::find(keys, key) == keys.end()) {
            const std::string meant = suggestion(key, std::vector<std::string_view>(keys));
            value.fail("unknown key \"" + key + "\"" + (meant.empty() ? "; there are " + listOf(keys) : meant));
        }
    }
}

std::optional<Value> Value::find(std::string_view key) const
{
    size_t i = 0;
    for (auto item = m_json->begin(); m_json->is_object() && item != m_json->end(); ++item, i++)
        if (item.key() == key)
            return Value(*m_document, *item, m_place->children[i]);
    return std::nullopt;
}

Value Value::get(std::string_view key) const
{
    const auto value = find(key);
    if (!value)
        fail("\"" + std::string(key) + "\" is missing");
    return *value;
}

std::vector<std::pair<std::string, Value>> Value::members() const
{
    if (!m_json->is_object())
        fail(std::string("an object is expected, not ") + kindOf(*m_json));
    std::vector<std::pair<std::string, Value>> out;
    size_t i = 0;
    for (auto item = m_json->begin(); item != m_json->end(); ++item, i++)
        out.emplace_back(item.key(), Value(*m_document, *item, m_place->children[i]));
    return out;
}

std::vector<Value> Value::items() const
{
    if (!m_json->is_array())
        fail(std::string("an array is expected, not ") + kindOf(*m_json));
    std::vector<Value> out;
    out.reserve(m_json->size());
    for (size_t i = 0; i < m_json->size(); ++i)
        out.emplace_back(*m_document, (*m_json)[i], m_place->children[i]);
    return out;
}

std::string Value::string() const
{
    if (!m_json->is_string())
        fail(std::string("a string is expected, not ") + kindOf(*m_json));
    return m_json->get<std::string>();
}

bool Value::boolean() const
{
    if (!m_json->is_boolean())
        fail(std::string("true or false is expected, not ") + kindOf(*m_json));
    return m_json->get<bool>();
}

double Value::number() const
{
    if (!m_json->is_number())
        fail(std::string("a number is expected, not ") + kindOf(*m_json));
    return m_json->get<double>();
}

uint64_t Value::count(uint64_t least, uint64_t most) const
{
    if (!m_json->is_number_unsigned()) {
        fail(std::string("a whole number that is not negative is expected") +
             (m_json->is_number() ? ", not " + m_json->dump() : std::string(", not ") + kindOf(*m_json)));
    }
    const auto value = m_json->get<uint64_t>();
    if (value < least || value > most)
        fail(std::to_string(value) + " is not from " + std::to_string(least) + " to " + std::to_string(most));
    return value;
}

size_t Value::choice(std::span<const std::string_view> choices) const
{
    const std::string text = string();
    const auto found = std::ranges::find(choices, text);
    if (found == choices.end())
        fail(noneOf(text, choices));
    return static_cast<size_t>(found - choices.begin());
}

}  // namespace millrace::tools::run
