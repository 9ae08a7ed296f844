// SPDX-License-Identifier: Apache-2.0
// Halves pictures of SIZE x SIZE pixels (64 or more) of four bytes. All sizes are behind one another in one buffer.
#include "../buffers.glsl"
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Picture { uint v[]; };

shared uint tile[16][16];

// Of the picture with sides of SIZE >> level.
uint placeOf(uint level, uvec2 at)
{
    uint place = 0;
    for (uint i = 0; i < level; ++i) {
        place += (SIZE >> i) * (SIZE >> i);
    }
    return place + at.y * (SIZE >> level) + at.x;
}

uint average(uint a, uint b, uint c, uint d)
{
    uint result = 0;
    for (uint shift = 0; shift < 32; shift += 8) {
        const uint sum = (a >> shift & 255) + (b >> shift & 255) + (c >> shift & 255) + (d >> shift & 255);
        result |= (sum + 2 >> 2) << shift;
    }
    return result;
}

// 64 x 64 pixels to one, by 256 invocations.
void reduceTile(Picture picture, uvec2 tileAt)
{
    const uint lane = gl_LocalInvocationIndex;
    const uvec2 mine = uvec2(lane % 16, lane / 16);
    uint parts[4];
    for (uint i = 0; i < 4; ++i) {
        const uvec2 to = tileAt * 32 + mine * 2 + uvec2(i % 2, i / 2);
        const uint from = placeOf(0, 2 * to);
        parts[i] = average(picture.v[from], picture.v[from + 1], picture.v[from + SIZE], picture.v[from + SIZE + 1]);
        picture.v[placeOf(1, to)] = parts[i];
    }
    uint value = average(parts[0], parts[1], parts[2], parts[3]);
    picture.v[placeOf(2, tileAt * 16 + mine)] = value;
    tile[mine.y][mine.x] = value;
    for (uint level = 3; level <= 6; ++level) {
        const uint side = 64 >> level;
        const bool works = lane < side * side;
        const uvec2 at = uvec2(lane % side, lane / side);
        barrier();
        if (works) {
            value = average(tile[2 * at.y][2 * at.x], tile[2 * at.y][2 * at.x + 1], tile[2 * at.y + 1][2 * at.x],
                            tile[2 * at.y + 1][2 * at.x + 1]);
            picture.v[placeOf(level, tileAt * side + at)] = value;
        }
        barrier();
        if (works) {
            tile[at.y][at.x] = value;
        }
    }
}

// What remains, by the last workgroup.
void reduceRest(Picture picture)
{
    for (uint level = 7; (SIZE >> level) > 0; ++level) {
        const uint side = SIZE >> level;
        for (uint i = gl_LocalInvocationIndex; i < side * side; i += 256) {
            const uvec2 at = uvec2(i % side, i / side);
            const uint from = placeOf(level - 1, 2 * at);
            const uint next = from + 2 * side;
            picture.v[placeOf(level, at)] =
                average(picture.v[from], picture.v[from + 1], picture.v[next], picture.v[next + 1]);
        }
        memoryBarrierBuffer();
        barrier();
    }
}
