// SPDX-License-Identifier: Apache-2.0
// Koch's snowflake and Sierpinski's carpet in whole numbers, which are the same on every device.
#include "../buffers.glsl"

// Corners of the four lines that replace one.
void bend(ivec4 line, out ivec2 corners[5])
{
    const ivec2 a = line.xy;
    const ivec2 d = line.zw - a;
    corners[0] = a;
    corners[1] = a + d / 3;
    corners[2] = a + d / 2 + ivec2(d.y, -d.x) * 4731 / 16384;
    corners[3] = a + 2 * d / 3;
    corners[4] = line.zw;
}

// Which of the nine parts of a square is kept as number i of eight.
ivec2 cornerOf(uint i)
{
    const uint part = i < 4 ? i : i + 1;
    return ivec2(part % 3, part / 3);
}
