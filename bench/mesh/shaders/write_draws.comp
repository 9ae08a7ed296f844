// SPDX-License-Identifier: Apache-2.0
// By hand: an invocation writes the vertices, indices and indirect command of a draw of one small square.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(local_size_x = 64) in;

void main()
{
    uint draw = gl_GlobalInvocationID.x;
    if (draw >= frame.units)
        return;
    uint item = itemOf(draw, 0u);
    for (uint i = 0u; i < 4u; ++i)
        frame.vertices.v[4u * draw + i] = vertexOf(item, i);
    for (uint i = 0u; i < 2u; ++i) {
        uvec3 corners = 4u * draw + triangleOf(item, i);
        for (uint k = 0u; k < 3u; ++k)
            frame.indices.v[6u * draw + 3u * i + k] = corners[k];
    }
    uint command[5] = uint[](6u, 1u, 6u * draw, 0u, 0u);
    for (uint i = 0u; i < 5u; ++i)
        frame.draws.v[5u * draw + i] = command[i];
}
