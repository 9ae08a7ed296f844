// SPDX-License-Identifier: Apache-2.0
// The part RDAT of a library: what a runtime wants to know of its functions, nodes and resources without reading them.
// Its metadata says the same, and is what is translated; subobjects are there only.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dxil/program.h"

namespace millrace::dxil {

inline constexpr uint32_t kMaxRuntimeRows = 4096;

// Tables as they lie in the part.
struct RuntimeTables {
    // The numbers are DXC's.
    enum Kind : uint32_t {
        Strings = 1,
        IndexArrays = 2,
        Resources = 3,
        Functions = 4,
        RawBytes = 5,
        Subobjects = 6,
        NodeIds = 7,
        NodeAttributes = 9,
        Nodes = 11,
        Count
    };
    std::array<Bytes, Count> content;

    // Of a table that has them; none: it is cut off, or has more than kMaxRuntimeRows.
    std::optional<std::vector<Bytes>> rows(Kind kind) const;
    std::optional<std::string> stringAt(std::optional<uint32_t> offset) const;
    // A count, and as many numbers.
    std::optional<std::vector<uint32_t>> arrayAt(std::optional<uint32_t> index) const;
};

// Errors: a table lies outside of the part.
Result<RuntimeTables> readRuntimeTables(Bytes rdat);

// What a row says of a node; what it does not say is the default, or not known.
struct RuntimeNode {
    LaunchType launch = LaunchType::None;
    std::optional<NodeId> id;
    std::optional<std::array<uint32_t, 3>> threads;
    std::optional<std::array<uint32_t, 3>> grid;
    std::optional<std::array<uint32_t, 3>> maxGrid;
    size_t inputs = 0;
    size_t outputs = 0;
};

struct RuntimeFunction {
    std::string name;
    ShaderKind kind = ShaderKind::Library;
    std::optional<RuntimeNode> node;
};

struct RuntimeResource {
    ResourceClass resourceClass = ResourceClass::Srv;
    ResourceKind kind = ResourceKind::Invalid;
    uint32_t space = 0;
    uint32_t lowerBound = 0;
    uint32_t upperBound = 0;  // ~0: unbounded
    auto operator<=>(const RuntimeResource&) const = default;
};

struct RuntimeData {
    std::vector<RuntimeFunction> functions;
    std::vector<RuntimeResource> resources;
};

// Errors: rows that are cut off, or name what is not there.
Result<RuntimeData> readRuntimeData(Bytes rdat);

// Errors: the first thing that the program itself says otherwise.
Status checkRuntimeData(const RuntimeData& data, const ProgramInfo& info);

}  // namespace millrace::dxil
