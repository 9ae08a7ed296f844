// SPDX-License-Identifier: Apache-2.0
// How bytes of a payload, a buffer or an image are to be read: names, numbers and where they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace millrace::data {

using Bytes = std::vector<uint8_t>;

struct DataType;
using DataTypeRef = std::shared_ptr<const DataType>;

struct DataMember {
    std::string name;
    uint64_t offset = 0;
    DataTypeRef type;
};

struct DataType {
    enum class Kind { Unsigned, Signed, Float, Vector, Matrix, Array, Structure };
    Kind kind = Kind::Unsigned;
    uint32_t bits = 32;             // of a scalar
    uint64_t bytes = 0;             // up to the end of the last scalar; of a runtime array without elements
    std::optional<uint64_t> count;  // components, columns or elements; none: as many as fit (last member of a buffer)
    uint64_t stride = 0;            // from one of those to the next
    DataTypeRef element;
    std::vector<DataMember> members;  // of a structure, by offset as declared

    bool isScalar() const { return kind == Kind::Unsigned || kind == Kind::Signed || kind == Kind::Float; }
    bool isRuntimeArray() const { return kind == Kind::Array && !count; }
    // Elements of a vector, matrix or array whose bytes, and no more, are there.
    uint64_t countIn(uint64_t available) const;
    // The runtime array at the end, with its offset, if there is one.
    const DataMember* findOpenMember() const;
};

DataTypeRef scalarType(DataType::Kind kind, uint32_t bits);
DataTypeRef vectorType(const DataTypeRef& component, uint64_t count);
DataTypeRef arrayType(const DataTypeRef& element, std::optional<uint64_t> count, uint64_t stride);
DataTypeRef structureType(std::vector<DataMember> members);

// "uint", "vec3", "Segment[4]": as GLSL would say it.
std::string nameOf(const DataType& type);

// Visits all scalars in `available` bytes from `offset` on, in order.
void forEachScalar(const DataType& type, uint64_t offset, uint64_t available,
                   const std::function<void(const DataType& scalar, uint64_t offset)>& visit);

// The way to the scalar at an offset: "pixels[17].x". Empty for padding.
std::string pathTo(const DataType& type, uint64_t offset);

// One column of a table that has a row for each value of the type.
struct Column {
    std::string name;
    uint64_t offset = 0;
    DataTypeRef scalar;
};
// The scalars of a type without runtime arrays, under their paths; of two with one path the later has its offset behind
// it, "a.b@8".
std::vector<Column> columnsOf(const DataTypeRef& type);

}  // namespace millrace::data
