// SPDX-License-Identifier: Apache-2.0
#include "dxil/subobjects.h"

#include <algorithm>

namespace millrace::dxil {

namespace {

constexpr uint32_t kMaxEntries = 4096;

// Kinds of parts of RDAT, and of subobjects; the numbers are DXC's.
enum : uint32_t { kStrings = 1, kIndexArrays = 2, kRawBytes = 5, kSubobjects = 6 };
enum : uint32_t { kGlobalRootSignature = 1, kLocalRootSignature = 2, kAssociation = 8 };

Diagnostic fail(const std::string& message)
{
    return {"dxil", "part RDAT", message};
}

struct Tables {
    Bytes strings, indices, raw, subobjects;
};

std::optional<Tables> readTables(Bytes rdat)
{
    // A table that is not there is empty, and inside of the part all the same.
    const Bytes none = rdat.first(0);
    Tables out{none, none, none, none};
    const auto count = numberAt<uint32_t>(rdat, 4);
    if (!count || *count > kMaxEntries) {
        return std::nullopt;
    }
    for (uint32_t t = 0; t < *count; t++) {
        const auto offset = numberAt<uint32_t>(rdat, 8 + uint64_t{4} * t);
        const auto kind = offset ? numberAt<uint32_t>(rdat, *offset) : std::nullopt;
        const auto size = offset ? numberAt<uint32_t>(rdat, uint64_t{*offset} + 4) : std::nullopt;
        const auto content = size ? slice(rdat, uint64_t{*offset} + 8, *size) : std::nullopt;
        if (!kind || !content) {
            return std::nullopt;
        }
        Bytes ignored;
        Bytes& target = *kind == kStrings       ? out.strings
                        : *kind == kIndexArrays ? out.indices
                        : *kind == kRawBytes    ? out.raw
                        : *kind == kSubobjects  ? out.subobjects
                                                : ignored;
        target = *content;
    }
    return out;
}

std::optional<std::string> stringAt(const Tables& tables, std::optional<uint32_t> offset)
{
    if (!offset || *offset >= tables.strings.size()) {
        return std::nullopt;
    }
    const auto begin = tables.strings.begin() + *offset;
    const auto end = std::find(begin, tables.strings.end(), uint8_t{0});
    return end == tables.strings.end() ? std::nullopt : std::optional(std::string(begin, end));
}

// A count, and as many offsets of strings.
std::optional<std::vector<std::string>> stringsAt(const Tables& tables, std::optional<uint32_t> index)
{
    const auto count = index ? numberAt<uint32_t>(tables.indices, uint64_t{4} * *index) : std::nullopt;
    if (!count || *count > kMaxEntries) {
        return std::nullopt;
    }
    std::vector<std::string> out;
    for (uint32_t s = 0; s < *count; s++) {
        auto text = stringAt(tables, numberAt<uint32_t>(tables.indices, uint64_t{4} * (uint64_t{*index} + 1 + s)));
        if (!text) {
            return std::nullopt;
        }
        out.push_back(std::move(*text));
    }
    return out;
}

// {kind, name, two numbers that depend on the kind}. Returns whether it is well-formed.
bool readSubobject(const Tables& tables, Bytes record, Subobjects& out)
{
    const auto kind = numberAt<uint32_t>(record, 0);
    const auto first = numberAt<uint32_t>(record, 8);
    const auto second = numberAt<uint32_t>(record, 12);
    auto name = stringAt(tables, numberAt<uint32_t>(record, 4));
    if (!kind || !name || !first || !second) {
        return false;
    }
    if (*kind == kGlobalRootSignature || *kind == kLocalRootSignature) {
        const auto bytes = slice(tables.raw, *first, *second);
        if (bytes) {
            out.signatures.push_back({std::move(*name), *kind == kLocalRootSignature, *bytes});
        }
        return bytes.has_value();
    }
    if (*kind == kAssociation) {
        auto subobject = stringAt(tables, first);
        auto exports = stringsAt(tables, second);
        if (subobject && exports) {
            out.associations.push_back({std::move(*subobject), std::move(*exports)});
        }
        return subobject && exports;
    }
    return true;
}

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

const DeclaredSignature* Subobjects::findSignature(bool isLocal, const std::string& entry) const
{
    const DeclaredSignature* general = nullptr;
    for (const DeclaredSignature& signature : signatures) {
        if (signature.isLocal != isLocal) {
            continue;
        }
        bool isGeneral = true;
        for (const Association& association : associations) {
            if (association.subobject != signature.name) {
                continue;
            }
            if (contains(association.exports, entry)) {
                return &signature;
            }
            isGeneral = association.exports.empty();
        }
        general = isGeneral && !general ? &signature : general;
    }
    return general;
}

Result<Subobjects> readSubobjects(Bytes rdat)
{
    Subobjects out;
    const auto tables = readTables(rdat);
    if (!tables) {
        return fail("a table lies outside of the part");
    }
    if (tables->subobjects.empty()) {
        return out;
    }
    const auto count = numberAt<uint32_t>(tables->subobjects, 0);
    const auto stride = numberAt<uint32_t>(tables->subobjects, 4);
    if (!count || !stride || *count > kMaxEntries) {
        return fail("the table of subobjects is malformed");
    }
    for (uint32_t s = 0; s < *count; s++) {
        const auto record = slice(tables->subobjects, 8 + uint64_t{*stride} * s, *stride);
        if (!record || !readSubobject(*tables, *record, out)) {
            return fail("subobject " + std::to_string(s) + " is malformed");
        }
    }
    return out;
}

}  // namespace millrace::dxil
