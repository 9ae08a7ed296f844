// SPDX-License-Identifier: Apache-2.0
#include "tools/run/json_data.h"

#include <algorithm>

#include "base/near_word.h"
#include "tools/run/numbers.h"

namespace millrace::tools::run {

namespace {

using Kind = DataType::Kind;

class Encoder {
public:
    Encoder(Bytes& bytes, const Encoding& encoding) : m_bytes(bytes), m_encoding(encoding) {}

    void encode(const Value& value, const DataType& type, uint64_t offset)
    {
        if (type.isScalar())
            scalar(value, type, offset);
        else if (type.kind == Kind::Structure)
            structure(value, type, offset);
        else
            elements(value, type, offset);
    }

private:
    static bool isAddress(const Value& value) { return value.has("address"); }

    void address(const Value& value, uint64_t offset)
    {
        value.allowKeys({"address"});
        if (m_encoding.addresses == nullptr)
            value.fail("addresses of buffers can stand in buffers and push constants only");
        (void)value.get("address").string();
        m_encoding.addresses->push_back({offset, value.get("address")});
        grow(value, offset + 8);
        markGiven(offset, 8);
    }

    void markGiven(uint64_t offset, uint64_t bytes)
    {
        if (m_encoding.given != nullptr)
            std::fill_n(m_encoding.given->begin() + static_cast<std::ptrdiff_t>(offset), bytes, uint8_t(1));
    }

    void scalar(const Value& value, const DataType& type, uint64_t offset)
    {
        if (isAddress(value) && type.kind == Kind::Unsigned && type.bytes == 8) {
            address(value, offset);
            return;
        }
        grow(value, offset + type.bytes);
        if (const auto error = scalarFromJson(type, value.json(), m_bytes.data() + offset))
            value.fail(*error);
        markGiven(offset, type.bytes);
    }

    void structure(const Value& value, const DataType& type, uint64_t offset)
    {
        grow(value, offset + type.bytes);
        if (value.json().is_array()) {
            const std::vector<Value> items = value.items();
            if (items.size() != type.members.size()) {
                value.fail(std::to_string(type.members.size()) + " values are expected, for " + nameOf(type) +
                           ", not " + std::to_string(items.size()));
            }
            for (size_t m = 0; m < items.size(); ++m)
                encode(items[m], *type.members[m].type, offset + type.members[m].offset);
            return;
        }
        if (!value.json().is_object())
            value.fail("an object with " + nameOf(type) + " is expected");
        for (const auto& [key, member] : value.members())
            encode(member, *findMember(member, key, type).type, offset + findMember(member, key, type).offset);
        for (const DataMember& member : type.members)
            if (!m_encoding.mayBePartial && !value.has(member.name))
                value.fail("member \"" + member.name + "\" is missing");
    }

    static const DataMember& findMember(const Value& place, const std::string& name, const DataType& type)
    {
        const auto found = std::ranges::find(type.members, name, &DataMember::name);
        if (found == type.members.end()) {
            std::vector<std::string> names;
            for (const DataMember& member : type.members)
                names.push_back(member.name);
            place.fail("no member \"" + name + "\" in " + nameOf(type) + suggestion(name, names));
        }
        return *found;
    }

    void elements(const Value& value, const DataType& type, uint64_t offset)
    {
        if (!value.json().is_array())
            value.fail("an array is expected, for " + nameOf(type));
        const std::vector<Value> items = value.items();
        const bool areWords = type.element->kind == Kind::Unsigned && type.element->bytes == 4 && type.stride == 4;
        const auto addresses = areWords ? std::ranges::count_if(items, isAddress) : 0;
        const size_t count = items.size() + static_cast<size_t>(addresses);
        if (type.count && count != *type.count) {
            value.fail(std::to_string(*type.count) + " values are expected, for " + nameOf(type) + ", not " +
                       std::to_string(count));
        }
        uint64_t at = offset;
        for (const Value& item : items) {
            if (areWords && isAddress(item)) {
                address(item, at);
                at += 8;
            } else {
                encode(item, *type.element, at);
                at += type.stride;
            }
        }
    }

    void grow(const Value& value, uint64_t bytes)
    {
        if (bytes > m_encoding.mostBytes)
            value.fail("does not fit into " + std::to_string(m_encoding.mostBytes) + " bytes");
        m_bytes.resize(std::max<size_t>(m_bytes.size(), bytes));
        if (m_encoding.given != nullptr)
            m_encoding.given->resize(m_bytes.size());
    }

    Bytes& m_bytes;
    const Encoding& m_encoding;
};

}  // namespace

void encodeJson(const Value& value, const DataType& type, uint64_t offset, Bytes& bytes, const Encoding& encoding)
{
    Encoder(bytes, encoding).encode(value, type, offset);
}

Json decodeJson(const DataType& type, const uint8_t* bytes, uint64_t available)
{
    if (type.isScalar())
        return scalarToJson(type, bytes);
    if (type.kind == Kind::Structure) {
        Json out = Json::object();
        for (const DataMember& member : type.members) {
            out[member.name] = decodeJson(*member.type, bytes + member.offset,
                                          available > member.offset ? available - member.offset : 0);
        }
        return out;
    }
    Json out = Json::array();
    const uint64_t count = type.countIn(available);
    for (uint64_t i = 0; i < count; ++i)
        out.push_back(decodeJson(*type.element, bytes + i * type.stride, type.element->bytes));
    return out;
}

}  // namespace millrace::tools::run
