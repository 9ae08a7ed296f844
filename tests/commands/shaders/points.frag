#version 460
#extension GL_GOOGLE_include_directive : require
// The bytes of a number that depends on push constants and on the vertex.
#include "mixed_words.glsl"
#ifdef MR_EARLY
layout(early_fragment_tests) in;
#endif
layout(constant_id = 3) const uint kSalt = 0u;
layout(push_constant) uniform Push { uvec4 first; uint list[5]; uint last[3]; } push;
layout(location = 0) flat in uint v_hash;
#ifdef MR_MORE
// Which not all vertex shaders write.
layout(location = 3) flat in uint v_more;
#endif
layout(location = 0) out vec4 color;

void main()
{
    uint hash = v_hash + kSalt;
#ifdef MR_MORE
    hash = mixed(hash, v_more);
#endif
    color = unpackUnorm4x8(mixed(mixed(mixed(mixed(hash, push.last[0]), push.last[1]), push.last[2]), push.first.x));
}
