// SPDX-License-Identifier: Apache-2.0
#include "tools/run/parse_json.h"

#include <cstddef>
#include <iterator>

#include "base/input_file.h"
#include "tools/files.h"

namespace millrace::tools::run {

namespace {

// Nothing that the tool reads is deeper; ends recursions over values.
constexpr size_t kMaxDepth = 256;

// Feeds the parser and tells how far it has read, which its events do not say.
class Reader {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Reader(const char* at, const char** furthest) : m_at(at), m_furthest(furthest) {}
    reference operator*() const { return *m_at; }
    Reader& operator++()
    {
        *m_furthest = ++m_at;
        return *this;
    }
    Reader operator++(int)
    {
        Reader old = *this;
        ++*this;
        return old;
    }
    bool operator==(const Reader& other) const { return m_at == other.m_at; }

private:
    const char* m_at;
    const char** m_furthest;
};

// Builds values and places side by side.
class Builder : public nlohmann::json_sax<Json> {
public:
    Builder(const std::string& file, std::string_view text, Json& json, Place& place)
        : m_file(file), m_text(text), m_rootJson(json), m_rootPlace(place)
    {
    }

    const char* read = nullptr;  // behind the last character that the parser took

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t& /*value*/) override { return false; }
    bool start_object(size_t /*count*/) override { return open(Json::object()); }
    bool start_array(size_t /*count*/) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& value) override
    {
        if (m_open.back().json->contains(value))
            throw InputError(m_file, positionAt(m_text, nextToken()), "", "the key \"" + value + "\" appears twice");
        m_key = std::move(value);
        m_behindToken = behindLast();
        return true;
    }

    bool parse_error(size_t position, const std::string& /*token*/, const Json::exception& error) override
    {
        // Versions of the library word this in different ways.
        if (withoutByteOrderMark(m_text).find_first_not_of(" \t\r\n") == std::string_view::npos)
            throw InputError(m_file, positionAt(m_text, 0), "", "there is no JSON in it");
        // "[json.exception...] parse error at line 1, column 2: what is wrong"
        std::string message = error.what();
        if (const size_t column = message.find("column "); column != std::string::npos)
            message.erase(0, message.find(": ", column) + 2);
        throw InputError(m_file, positionAt(m_text, position > 0 ? position - 1 : 0), "",
                         message + (m_file.ends_with(".json") ? "" : whatTakes(m_file)));
    }

private:
    struct Open {
        Json* json;
        Place* place;
    };

    size_t behindLast() const { return static_cast<size_t>(read - m_text.data()); }

    // Where the token begins that the parser has just read. A number ends where the character behind it was read, so
    // the search may begin one too late, behind a comma or a bracket, but never behind the next token's first
    // character.
    size_t nextToken() const
    {
        const size_t at = m_text.find_first_not_of(" \t\r\n,:]}\xef\xbb\xbf", m_behindToken);
        return at == std::string_view::npos ? m_text.size() : at;
    }

    Open append(Json value)
    {
        const size_t offset = nextToken();
        m_behindToken = behindLast();
        if (m_open.empty()) {
            m_rootJson = std::move(value);
            m_rootPlace = {offset, {}};
            return {&m_rootJson, &m_rootPlace};
        }
        Open& parent = m_open.back();
        Place& place = parent.place->children.emplace_back(Place{offset, {}});
        if (parent.json->is_object())
            return {&((*parent.json)[m_key] = std::move(value)), &place};
        parent.json->push_back(std::move(value));
        return {&parent.json->back(), &place};
    }

    bool add(Json value)
    {
        append(std::move(value));
        return true;
    }

    bool open(Json value)
    {
        if (m_open.size() == kMaxDepth)
            throw InputError(m_file, positionAt(m_text, nextToken()), "", "nested too deeply");
        m_open.push_back(append(std::move(value)));
        return true;
    }

    bool close()
    {
        m_open.pop_back();
        m_behindToken = behindLast();
        return true;
    }

    const std::string& m_file;
    std::string_view m_text;
    Json& m_rootJson;
    Place& m_rootPlace;
    std::vector<Open> m_open;
    std::string m_key;
    size_t m_behindToken = 0;
};

}  // namespace

void parseJson(const std::string& file, std::string_view text, Json& json, Place& place)
{
    Builder builder(file, text, json, place);
    builder.read = text.data();
    const char* const end = text.data() + text.size();
    Json::sax_parse(Reader(text.data(), &builder.read), Reader(end, &builder.read), &builder);
}

}  // namespace millrace::tools::run
