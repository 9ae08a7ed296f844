// SPDX-License-Identifier: Apache-2.0
#include "mesh/node_shaders.h"

#include <gtest/gtest.h>

#include "glsl/compile.h"

namespace millrace::meshtest {

const char* const kCellsNode = R"(#version 460
#extension GL_EXT_mesh_shader : require
#if defined(VIEWS)
#extension GL_EXT_multiview : require
#endif
const uint kSquares = 16;
const uint kCells = 8;
struct Cell {
    uint count;
    uint colors[kSquares];
};
struct Cells {
#if !defined(STATIC_GRID)
    dispatch_grid uvec3 grid;
#endif
    uint x;
    uint y;
};
#if defined(SHARES)
layout(name = "more", shares_input_with = "cells") node;
#elif defined(STATIC_GRID)
layout(name = "cells", static_grid = uvec3(4, 1, 1)) node;
#else
layout(name = "cells", max_grid = uvec3(8, 8, 1)) node;
#endif
#if defined(SHARES)
readonly nodein Cells input_cells;
#else
nodein Cells input_cells;
#endif

layout(constant_id = 3) const uint kFirstGreen = 0;
layout(local_size_x = 2 * kSquares) in;
layout(triangles, max_vertices = 4 * kSquares, max_primitives = 2 * kSquares) out;
layout(std430, set = 0, binding = 0) readonly buffer Picture { Cell cells[]; };
layout(push_constant) uniform Push { uint firstCell; };
layout(location = 0) out vec2 place[];
layout(location = 1) perprimitiveEXT out Primitive { vec4 color; float twin; } primitives[];

shared uint count;

void main()
{
    uvec2 own = uvec2(input_cells.x, input_cells.y) + gl_WorkGroupID.xy;
#if defined(SHARES)
    own.y += kCells / 2;
#endif
    const uint cell = firstCell + own.x + kCells * own.y;
    if (gl_LocalInvocationIndex == 0)
        count = cells[cell].count;
    barrier();
#if defined(LEAVES)
    if (cell % 3 == 1)
        return;
#endif
    SetMeshOutputsEXT(4 * count, 2 * count);
    const uint square = gl_LocalInvocationIndex / 2;
    const uint part = gl_LocalInvocationIndex % 2;
    if (square >= count)
        return;
    const uint primitive = gl_LocalInvocationIndex;
    for (uint k = 2 * part; k < 2 * part + 2; ++k) {
        const vec2 inCell = vec2(square % 4, square / 4) + vec2(k % 2, k / 2);
#if defined(VIEWS)
        const uvec2 place_in_view = uvec2((own.x + gl_ViewIndex) % kCells, own.y);
#else
        const uvec2 place_in_view = own;
#endif
        const vec2 where = (vec2(place_in_view) * 8 + inCell * 2) / 64;
        gl_MeshVerticesEXT[4 * square + k].gl_Position = vec4(where * 2 - 1, 0, 1);
        place[4 * square + k] = where;
    }
    gl_PrimitiveTriangleIndicesEXT[primitive] = 4 * square + (part == 0 ? uvec3(0, 1, 2) : uvec3(2, 1, 3));
    const uint color = cells[cell].colors[square];
    const uint green = kFirstGreen + shaderIndex() * 7;
    primitives[primitive].color = vec4(float(color & 255u), float(color >> 8 & 255u) + green, 0, 255) / 255;
    primitives[primitive].twin = float(color & 255u);
#if defined(VIEWS)
    primitives[primitive].color.g += float(16 * gl_ViewIndex) / 255;
    gl_MeshPrimitivesEXT[primitive].gl_CullPrimitiveEXT = color >> 24 != gl_ViewIndex % 2;
#else
    gl_MeshPrimitivesEXT[primitive].gl_CullPrimitiveEXT = color >> 24 != 0;
#endif
}
)";

const char* const kRowNode = R"(#version 460
struct Cells {
    dispatch_grid uvec3 grid;
    uint x;
    uint y;
};
struct Row {
    uint row;
};
layout(name = "row", static_grid = uvec3(1, 1, 1)) node;
nodein Row input_row;
layout(local_size_x = 2) in;
#if defined(ARRAY)
layout(node = "cells", array_size = 2) nodeout Cells sent[2];
#else
layout(node = "cells") nodeout Cells sent[2];
#endif

void main()
{
#if defined(ARRAY)
    allocateWorkgroupAt(sent, input_row.row & 1, 2);
#else
    allocateWorkgroup(sent, 2);
#endif
    const uint half_of_row = gl_LocalInvocationIndex;
    sent[half_of_row].grid = uvec3(4, 1, 1);
    sent[half_of_row].x = 4 * half_of_row;
    sent[half_of_row].y = input_row.row;
    enqueue(sent);
}
)";

std::vector<uint32_t> compileNode(const char* text, const Definitions& definitions)
{
    glsl::Options options;
    options.definitions = definitions;
    const Result<glsl::Compiled> compiled = glsl::compile(text, "node.mesh", options);
    EXPECT_TRUE(compiled) << compiled.error().text();
    return compiled ? compiled->words : std::vector<uint32_t>();
}

}  // namespace millrace::meshtest
