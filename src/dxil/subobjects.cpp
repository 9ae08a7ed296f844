// SPDX-License-Identifier: Apache-2.0
#include "dxil/subobjects.h"

#include <algorithm>

#include "dxil/runtime_data.h"

namespace millrace::dxil {

namespace {

// Kinds of subobjects; the numbers are DXC's.
enum : uint32_t { kGlobalRootSignature = 1, kLocalRootSignature = 2, kAssociation = 8 };

Diagnostic fail(const std::string& message)
{
    return {"dxil", "part RDAT", message};
}

std::optional<std::vector<std::string>> stringsAt(const RuntimeTables& tables, std::optional<uint32_t> index)
{
    const auto offsets = tables.arrayAt(index);
    if (!offsets)
        return std::nullopt;
    std::vector<std::string> out;
    for (const uint32_t offset : *offsets) {
        auto text = tables.stringAt(offset);
        if (!text)
            return std::nullopt;
        out.push_back(std::move(*text));
    }
    return out;
}

// {kind, name, two numbers that depend on the kind}. Returns whether it is well-formed.
bool readSubobject(const RuntimeTables& tables, Bytes record, Subobjects& out)
{
    const auto kind = numberAt<uint32_t>(record, 0);
    const auto first = numberAt<uint32_t>(record, 8);
    const auto second = numberAt<uint32_t>(record, 12);
    auto name = tables.stringAt(numberAt<uint32_t>(record, 4));
    if (!kind || !name || !first || !second)
        return false;
    if (*kind == kGlobalRootSignature || *kind == kLocalRootSignature) {
        const auto bytes = slice(tables.content[RuntimeTables::RawBytes], *first, *second);
        if (bytes)
            out.signatures.push_back({std::move(*name), *kind == kLocalRootSignature, *bytes});
        return bytes.has_value();
    }
    if (*kind == kAssociation) {
        auto subobject = tables.stringAt(first);
        auto exports = stringsAt(tables, second);
        if (subobject && exports)
            out.associations.push_back({std::move(*subobject), std::move(*exports)});
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
        if (signature.isLocal != isLocal)
            continue;
        bool isGeneral = true;
        for (const Association& association : associations) {
            if (association.subobject != signature.name)
                continue;
            if (contains(association.exports, entry))
                return &signature;
            isGeneral = association.exports.empty();
        }
        general = isGeneral && !general ? &signature : general;
    }
    return general;
}

Result<Subobjects> readSubobjects(Bytes rdat)
{
    Subobjects out;
    const auto tables = readRuntimeTables(rdat);
    if (!tables)
        return tables.error();
    const auto rows = tables->rows(RuntimeTables::Subobjects);
    if (!rows)
        return fail("the table of subobjects is malformed");
    for (size_t s = 0; s < rows->size(); ++s)
        if (!readSubobject(*tables, (*rows)[s], out))
            return fail("subobject " + std::to_string(s) + " is malformed");
    return out;
}

}  // namespace millrace::dxil
