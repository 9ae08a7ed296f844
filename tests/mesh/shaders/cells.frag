#version 460
#extension GL_EXT_mesh_shader : require
#extension GL_GOOGLE_include_directive : require
#if defined(VIEWS)
#extension GL_EXT_multiview : require
#endif
#include "cells.h"
#if defined(WRITES)
layout(std430, set = 0, binding = 0) buffer Picture { Cell cells[]; };
#endif
layout(location = 0) in vec2 place;
#if defined(SHARED)
layout(location = 1) flat in vec4 color;
#else
layout(location = 1) perprimitiveEXT in Primitive { vec4 color; float twin; };
#endif
#if defined(MANY_OUTPUTS)
layout(location = 3) in vec4 others[13];
#endif
layout(location = 0) out vec4 result;
layout(push_constant) uniform Push { layout(offset = 16) float alpha; };

// Blue is the column of the pixel.
void main()
{
    result = vec4(color.rg, floor(place.x * 64) / 255, alpha);
#if !defined(SHARED)
    if (abs(twin - color.r * 255) > 0.5)
        result = vec4(1);
#endif
#if defined(MANY_OUTPUTS)
    for (uint i = 0; i < 13; ++i)
        if (abs(others[i].x - i) > 0.5)
            result = vec4(1);
#endif
#if defined(WRITES)
    const uvec2 pixel = uvec2(gl_FragCoord.xy);
    const uint cell = pixel.x / 8 + CELLS * (pixel.y / 8), square = pixel.x % 8 / 2 + 4 * (pixel.y % 8 / 2);
    cells[THIRD + cell].count = cells[SECOND + cell].count;
    cells[THIRD + cell].colors[square] = cells[SECOND + cell].colors[square];
#endif
#if defined(PRIMITIVE_ID)
    result.g = float(gl_PrimitiveID) / 255;
#endif
#if defined(VIEWS)
    result.g += float(16 * gl_ViewIndex) / 255;
#endif
}
