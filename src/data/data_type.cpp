// SPDX-License-Identifier: Apache-2.0
#include "data/data_type.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace millrace::data {

namespace {

using Kind = DataType::Kind;

std::string elementPath(const DataType& type, uint64_t index)
{
    if (type.kind == Kind::Vector && index < 4)
        return std::string(".") + "xyzw"[index];
    return "[" + std::to_string(index) + "]";
}

std::string join(const std::string& path, const std::string& next)
{
    return path.empty() && next.starts_with('.') ? next.substr(1) : path + next;
}

void addColumns(const DataTypeRef& type, uint64_t offset, const std::string& path, std::vector<Column>& out)
{
    if (type->isScalar()) {
        out.push_back({path, offset, type});
        return;
    }
    for (const DataMember& member : type->members)
        addColumns(member.type, offset + member.offset, join(path, "." + member.name), out);
    for (uint64_t i = 0; i < type->count.value_or(0); ++i)
        addColumns(type->element, offset + i * type->stride, join(path, elementPath(*type, i)), out);
}

bool findPath(const DataType& type, uint64_t offset, std::string& path)
{
    if (type.isScalar())
        return offset < type.bytes;
    for (const DataMember& member : type.members) {
        const bool isInside =
            offset >= member.offset && (member.type->isRuntimeArray() || offset < member.offset + member.type->bytes);
        const size_t length = path.size();
        path = join(path, "." + member.name);
        if (isInside && findPath(*member.type, offset - member.offset, path))
            return true;
        path.resize(length);
    }
    if (!type.element || type.stride == 0)
        return false;
    // Columns of a row-major matrix interleave.
    for (uint64_t i = type.kind == Kind::Matrix ? 0 : offset / type.stride; i <= offset / type.stride; ++i) {
        const size_t length = path.size();
        path = join(path, elementPath(type, i));
        if ((!type.count || i < *type.count) && findPath(*type.element, offset - i * type.stride, path))
            return true;
        path.resize(length);
    }
    return false;
}

}  // namespace

uint64_t DataType::countIn(uint64_t available) const
{
    if (count)
        return *count;
    // The last element may lack its padding.
    return stride == 0 || available < element->bytes ? 0 : (available - element->bytes) / stride + 1;
}

const DataMember* DataType::findOpenMember() const
{
    const auto found = std::ranges::find_if(members, [](const DataMember& m) { return m.type->isRuntimeArray(); });
    return found == members.end() ? nullptr : &*found;
}

DataTypeRef scalarType(Kind kind, uint32_t bits)
{
    DataType type;
    type.kind = kind;
    type.bits = bits;
    type.bytes = bits / 8;
    return std::make_shared<DataType>(type);
}

DataTypeRef vectorType(const DataTypeRef& component, uint64_t count)
{
    DataType type;
    type.kind = Kind::Vector;
    type.count = count;
    type.stride = component->bytes;
    type.bytes = count * type.stride;
    type.element = component;
    return std::make_shared<DataType>(type);
}

DataTypeRef arrayType(const DataTypeRef& element, std::optional<uint64_t> count, uint64_t stride)
{
    DataType type;
    type.kind = Kind::Array;
    type.count = count;
    type.stride = stride;
    type.bytes = count.value_or(0) == 0 ? 0 : (*count - 1) * stride + element->bytes;
    type.element = element;
    return std::make_shared<DataType>(type);
}

DataTypeRef structureType(std::vector<DataMember> members)
{
    DataType type;
    type.kind = Kind::Structure;
    for (const DataMember& member : members)
        type.bytes = std::max(type.bytes, member.offset + member.type->bytes);
    type.members = std::move(members);
    return std::make_shared<DataType>(type);
}

std::string nameOf(const DataType& type)
{
    const std::string size = type.isScalar() && type.bits != 32 ? std::to_string(type.bits) + "_t" : "";
    switch (type.kind) {
        case Kind::Unsigned:
            return "uint" + size;
        case Kind::Signed:
            return "int" + size;
        case Kind::Float:
            return "float" + size;
        case Kind::Vector:
            return nameOf(*type.element) + " x " + std::to_string(*type.count);
        case Kind::Matrix:
            return std::to_string(*type.count) + " columns of " + nameOf(*type.element);
        case Kind::Array:
            return nameOf(*type.element) + "[" + (type.count ? std::to_string(*type.count) : "") + "]";
        case Kind::Structure: {
            std::string names;
            for (const DataMember& member : type.members)
                names += (names.empty() ? "" : ", ") + member.name;
            return "{" + names + "}";
        }
    }
    return "";
}

void forEachScalar(const DataType& type, uint64_t offset, uint64_t available,
                   const std::function<void(const DataType& scalar, uint64_t offset)>& visit)
{
    if (type.isScalar()) {
        visit(type, offset);
        return;
    }
    for (const DataMember& member : type.members) {
        const uint64_t left = available > member.offset ? available - member.offset : 0;
        forEachScalar(*member.type, offset + member.offset, left, visit);
    }
    if (type.element) {
        const uint64_t count = type.countIn(available);
        for (uint64_t i = 0; i < count; ++i)
            forEachScalar(*type.element, offset + i * type.stride, type.element->bytes, visit);
    }
}

std::string pathTo(const DataType& type, uint64_t offset)
{
    std::string path;
    return findPath(type, offset, path) ? path : "";
}

std::vector<Column> columnsOf(const DataTypeRef& type)
{
    std::vector<Column> out;
    addColumns(type, 0, "", out);
    // Names of members come from shaders, which need not have different ones.
    std::set<std::string_view> names;
    for (Column& column : out)
        if (!names.insert(column.name).second)
            column.name += "@" + std::to_string(column.offset);
    return out;
}

}  // namespace millrace::data
