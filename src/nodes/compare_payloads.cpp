// SPDX-License-Identifier: Apache-2.0
#include "nodes/compare_payloads.h"

#include <map>

namespace millrace::nodes {

namespace {

using data::DataType;

struct Scalar {
    DataType::Kind kind;
    uint32_t bits;
};

std::map<uint64_t, Scalar> scalarsOf(const DataType& type)
{
    std::map<uint64_t, Scalar> out;
    data::forEachScalar(type, 0, type.bytes, [&](const DataType& scalar, uint64_t offset) {
        out[offset] = {scalar.kind, scalar.bits};
    });
    return out;
}

std::string text(const DataType& type, const Scalar& scalar, uint64_t offset)
{
    return "'" + data::nameOf(*data::scalarType(scalar.kind, scalar.bits)) + " " + data::pathTo(type, offset) + "'";
}

bool isNameless(const DataType& type, uint64_t offset)
{
    return data::pathTo(type, offset).find('@') != std::string::npos;
}

}  // namespace

std::string differenceOf(const DataType& sent, const DataType& received)
{
    const std::map<uint64_t, Scalar> theirs = scalarsOf(sent);
    for (const auto& [offset, own] : scalarsOf(received)) {
        const std::string place = "byte " + std::to_string(offset) + " is ";
        const auto found = theirs.find(offset);
        if (found == theirs.end())
            return place + "no member's first there and " + text(received, own, offset) + " here";
        const bool isOtherKind = (found->second.kind == DataType::Kind::Float) != (own.kind == DataType::Kind::Float);
        const bool hasNames = !isNameless(sent, offset) && !isNameless(received, offset);
        if (found->second.bits != own.bits || (isOtherKind && hasNames))
            return place + text(sent, found->second, offset) + " there and " + text(received, own, offset) + " here";
    }
    return "";
}

}  // namespace millrace::nodes
