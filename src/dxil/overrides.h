// SPDX-License-Identifier: Apache-2.0
// What D3D12 lets an application say of nodes in place of what their shaders say, and what a graph of several libraries
// needs to know of all of its nodes together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dxil/program.h"

namespace millrace::dxil {

struct OutputOverride {
    uint32_t output = 0;  // in the order of the shader's declaration
    std::optional<std::string> name;
    std::optional<uint32_t> index;
    std::optional<uint32_t> arraySize;  // kUnbounded
    std::optional<bool> sparse;
    std::optional<uint32_t> maxRecords;
    std::optional<uint32_t> sharesBudgetWith;  // index of an output
};

// One node of a function. A function may be listed several times and is several nodes then.
struct NodeOverride {
    std::string entry;
    std::optional<std::string> name;
    std::optional<uint32_t> index;
    std::optional<bool> isProgramEntry;
    std::optional<int32_t> localArgumentsIndex;
    std::optional<std::array<uint32_t, 3>> grid;     // fixed, also where the records had one
    std::optional<std::array<uint32_t, 3>> maxGrid;  // the grid is in the records
    std::optional<NodeId> sharesInputOf;             // without a name: of none
    std::vector<OutputOverride> outputs;
};

struct Export {
    std::string name;
    std::string original;  // function; empty: of the same name
};

// Of all entry points only those that are listed, under their new names. No list: all.
// Errors: functions that are not there, names that are taken twice.
Status applyExports(const std::vector<Export>& exports, std::vector<EntryPoint>& entries);

// Entry points that are not listed stay, unless `onlyListed`.
// Errors: what is not there, or does not go with the node's launch mode.
Status applyOverrides(const std::vector<NodeOverride>& nodes, bool onlyListed, std::vector<EntryPoint>& entries);

// Errors: a node, or the target of an output, without a name; nodes of one name with different launch modes, which
// D3D12 forbids ("Node array constraints" of its specification of work graphs).
Status checkNodeIds(const std::vector<EntryPoint*>& entries);

// Nodes of one name with grids of both kinds, fixed and in the record, which neither D3D12 nor the extension allows:
// those with a fixed grid get a name of their own, "<name>.static", and whoever sends to them an output of that name.
void separateGrids(std::vector<EntryPoint*>& entries);

}  // namespace millrace::dxil
