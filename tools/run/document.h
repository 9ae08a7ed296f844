// SPDX-License-Identifier: Apache-2.0
// A JSON file whose values know where they stand, so that everything said about them has line and column.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace millrace::tools::run {

// Members keep their order: results list those of structures as the shader does.
using Json = nlohmann::ordered_json;

struct Position {
    size_t line = 0;  // from 1; 0: the file as a whole
    size_t column = 0;
};
Position positionAt(std::string_view text, size_t offset);

// Something in one of the user's files is wrong. All of tools/run throws it; the command reports it.
class InputError : public std::runtime_error {
public:
    InputError(std::string file, Position position, std::string pointer, const std::string& message);

    const std::string& file() const { return m_file; }
    Position position() const { return m_position; }
    const std::string& pointer() const { return m_pointer; }  // RFC 6901, empty: none
    std::string text() const;                                 // "FILE:LINE:COLUMN: MESSAGE"

private:
    std::string m_file;
    Position m_position;
    std::string m_pointer;
};

// Offsets of a value and of those inside, which are in the value's own order.
struct Place {
    size_t offset = 0;
    std::vector<Place> children;
};

class Value;

class Document {
public:
    // Of readInput(). Throws InputError for what cannot be read, for syntax errors and for keys that appear twice.
    static Document read(const std::string& file);

    Value root() const;
    const std::string& file() const { return m_file; }

private:
    friend class Value;
    std::string m_file;
    std::string m_text;
    Json m_json;
    Place m_place;
};

// A value of a document, which must outlive it. All accessors throw InputError for values that are not as wanted.
class Value {
public:
    Value(const Document& document, const Json& json, const Place& place)
        : m_document(&document), m_json(&json), m_place(&place)
    {
    }

    const Json& json() const { return *m_json; }
    const std::string& file() const { return m_document->file(); }
    [[noreturn]] void fail(const std::string& message) const;

    // Objects. A key that is not among these is an error that names the nearest, or all if none is near.
    void allowKeys(std::initializer_list<std::string_view> keys) const;
    bool has(std::string_view key) const { return m_json->is_object() && m_json->contains(key); }
    std::optional<Value> find(std::string_view key) const;
    Value get(std::string_view key) const;
    std::vector<std::pair<std::string, Value>> members() const;

    std::vector<Value> items() const;  // of an array

    std::string string() const;
    bool boolean() const;
    double number() const;
    uint64_t count(uint64_t least = 0, uint64_t most = UINT64_MAX) const;  // a whole number
    // Index of the string among the choices.
    size_t choice(std::span<const std::string_view> choices) const;
    size_t choice(std::initializer_list<std::string_view> choices) const
    {
        return choice(std::span(choices.begin(), choices.size()));
    }

private:
    const Document* m_document;
    const Json* m_json;
    const Place* m_place;
};

}  // namespace millrace::tools::run
