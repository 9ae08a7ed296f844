// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that draw cells.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millrace::meshtest {

using Definitions = std::vector<std::pair<std::string, std::string>>;

// A mesh node: its workgroups draw cells from those of its payload on. The payload is {grid, x, y}; with STATIC_GRID
// {x, y}, and the grid is one row of four; with SHARES it is "more", which shares that of "cells" and draws what is
// four rows below; with LEAVES, each third workgroup leaves without setting its counts.
extern const char* const kCellsNode;
// A compute node: its payload is {row}. Sends that row to the mesh nodes "cells", a payload for each half of the row;
// with ARRAY, to "cells"[row & 1].
extern const char* const kRowNode;

// SPIR-V of the extension. Fails the test, with the reason, where it cannot be made; no words then.
std::vector<uint32_t> compileNode(const char* text, const Definitions& definitions = {});

}  // namespace millrace::meshtest
