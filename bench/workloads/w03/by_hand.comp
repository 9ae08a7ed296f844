#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
// First pass: small triangles at once, of others a list of their 16 x 16 tiles. Second (TILES): a workgroup for each.
#include "raster.glsl"
layout(local_size_x = 64) in;
layout(push_constant, scalar) uniform Arguments {
    Words depths;
    Pairs vertices;
    Pairs tiles;
    Words counter;
    Words nextCounter;
    uint count;
};

#ifdef TILES
void main()
{
    const uint i = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (i == 0 && gl_LocalInvocationIndex == 0) {
        nextCounter.v[0] = 0;
    }
    if (i >= count) {
        return;
    }
    const uvec2 entry = tiles.v[i];
    const Triangle triangle = fetch(vertices, entry.x);
    const ivec4 box = boxOf(triangle.v);
    const int area = doubleArea(triangle.v);
    const ivec2 first = ivec2(entry.y & 0xffff, entry.y >> 16);
    for (uint j = 0; j < 4; ++j) {
        const ivec2 p = first + ivec2(gl_LocalInvocationIndex % 16, gl_LocalInvocationIndex / 16 + 4 * j);
        if (all(lessThanEqual(p, box.zw))) {
            cover(depths, triangle, area, p);
        }
    }
}
#else
const uint kSmall = 64;
shared uint all_;
shared uint base;

void main()
{
    if (gl_LocalInvocationIndex == 0) {
        all_ = 0;
    }
    barrier();
    const uint id = gl_GlobalInvocationID.x;
    const Triangle triangle = fetch(vertices, min(id, count - 1));
    const bool visible = id < count && doubleArea(triangle.v) > 0;
    const ivec4 box = boxOf(triangle.v);
    const bool isSmall = sizeOf(box) <= kSmall;
    if (visible && isSmall) {
        coverBox(depths, triangle, box, 0, 1);
    }
    uint wanted = 0;
    if (visible && !isSmall) {
        for (int y = box.y; y <= box.w; y += 16) {
            for (int x = box.x; x <= box.z; x += 16) {
                wanted += misses(triangle.v, ivec4(x, y, min(ivec2(x, y) + 15, box.zw))) ? 0 : 1;
            }
        }
    }
    uint at = wanted == 0 ? 0 : atomicAdd(all_, wanted);
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        base = all_ == 0 ? 0 : atomicAdd(counter.v[0], all_);
    }
    barrier();
    if (wanted != 0) {
        at += base;
        for (int y = box.y; y <= box.w; y += 16) {
            for (int x = box.x; x <= box.z; x += 16) {
                if (!misses(triangle.v, ivec4(x, y, min(ivec2(x, y) + 15, box.zw)))) {
                    tiles.v[at++] = uvec2(id, x | y << 16);
                }
            }
        }
    }
}
#endif
