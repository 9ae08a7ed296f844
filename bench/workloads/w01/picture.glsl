// SPDX-License-Identifier: Apache-2.0
// WIDTH, HEIGHT and MATERIALS are defined by the program.
#include "../buffers.glsl"

uvec2 colourOf(uint material)
{
    return uvec2(material * 77 + 1, material);
}
