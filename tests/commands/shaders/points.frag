#version 460
#extension GL_GOOGLE_include_directive : require
// The bytes of a number that depends on push constants and on the vertex.
#include "mixed_words.glsl"
layout(constant_id = 3) const uint kSalt = 0u;
layout(push_constant) uniform Push { uvec4 first; uint list[5]; uint last[3]; } push;
layout(location = 0) flat in uint v_hash;
layout(location = 0) out vec4 color;

void main()
{
    color = unpackUnorm4x8(mixed(mixed(mixed(mixed(v_hash + kSalt, push.last[0]), push.last[1]), push.last[2]), push.first.x));
}
