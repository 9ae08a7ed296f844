// SPDX-License-Identifier: Apache-2.0
// What a trace has of mesh shaders that draw cells.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mesh/picture.h"
#include "trace/trace.h"

namespace millrace::meshtest {

// What drawing them counts: of each square four vertices and two primitives, both culled or none.
inline trace::MeshWork countsOf(const std::vector<Cell>& cells)
{
    trace::MeshWork counts;
    counts.vertexFill.resize(9);
    counts.primitiveFill.resize(9);
    for (const Cell& cell : cells) {
        const auto begin = cell.colors.begin();
        const auto culled = static_cast<uint32_t>(
            std::count_if(begin, begin + cell.count, [](uint32_t color) { return color >> 24 != 0; }));
        ++counts.groups;
        counts.emptyGroups += cell.count == 0;
        counts.culledGroups += cell.count > 0 && culled == cell.count;
        counts.vertices += uint64_t{4} * cell.count;
        counts.primitives += uint64_t{2} * cell.count;
        counts.culledPrimitives += uint64_t{2} * culled;
        counts.mostVertices = std::max(counts.mostVertices, 4 * cell.count);
        counts.mostPrimitives = std::max(counts.mostPrimitives, 2 * cell.count);
        const uint32_t part = (cell.count * 8 + kSquares - 1) / kSquares;
        ++counts.vertexFill[part];
        ++counts.primitiveFill[part];
    }
    return counts;
}

inline void expectCounts(const trace::MeshWork& found, const trace::MeshWork& wanted)
{
    EXPECT_EQ(found.groups, wanted.groups);
    EXPECT_EQ(found.emptyGroups, wanted.emptyGroups);
    EXPECT_EQ(found.culledGroups, wanted.culledGroups);
    EXPECT_EQ(found.vertices, wanted.vertices);
    EXPECT_EQ(found.primitives, wanted.primitives);
    EXPECT_EQ(found.culledPrimitives, wanted.culledPrimitives);
    EXPECT_EQ(found.mostVertices, wanted.mostVertices);
    EXPECT_EQ(found.mostPrimitives, wanted.mostPrimitives);
    EXPECT_EQ(found.vertexFill, wanted.vertexFill);
    EXPECT_EQ(found.primitiveFill, wanted.primitiveFill);
}

}  // namespace millrace::meshtest
