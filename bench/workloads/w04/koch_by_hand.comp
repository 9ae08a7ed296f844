#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// A level: line i becomes lines 4 i to 4 i + 3. The last level writes segments, so leaves are no level of their own.
#include "shapes.glsl"
layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { Quads from; Quads to; uint count; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        ivec2 corners[5];
        bend(ivec4(from.v[i]), corners);
        for (uint j = 0; j < 4; ++j) {
            to.v[4 * i + j] = uvec4(ivec4(corners[j], corners[j + 1]));
        }
    }
}
