#version 460
#extension GL_GOOGLE_include_directive : require
#ifdef MR_VIEWS
#extension GL_EXT_multiview : require
#endif
// A point where a number says that depends on all that a vertex knows of its draw. MR_PLAIN: without shaderDrawParameters.
#include "mixed_words.glsl"
layout(set = 0, binding = 0) readonly buffer Lookup { uint words[]; } lookup;
layout(constant_id = 3) const uint kSalt = 0u;
layout(push_constant) uniform Push { uvec4 first; uint list[5]; uint last[3]; } push;
#ifdef MR_ATTRIBUTES
// Of the buffer that each sequence has of its own, and of one that is bound.
layout(location = 0) in uvec2 a_words;
layout(location = 1) in vec4 a_bytes;
layout(location = 2) in uint a_instance;
#endif
layout(location = 0) flat out uint v_hash;
#ifdef MR_MORE
layout(location = 3) flat out uint v_more;
#endif

void main()
{
    uint hash = lookup.words[push.first.y & 15u] + kSalt;
    for (int i = 0; i < 4; ++i)
        hash = mixed(hash, push.first[i]);
    for (int i = 0; i < 5; ++i)
        hash = mixed(hash, push.list[i]);
    hash = mixed(mixed(hash, gl_VertexIndex), gl_InstanceIndex);
#ifndef MR_PLAIN
    hash = mixed(mixed(mixed(hash, gl_BaseVertex), gl_BaseInstance), gl_DrawID);
#endif
#ifdef MR_ATTRIBUTES
    hash = mixed(mixed(hash, a_words.x), a_words.y);
    hash = mixed(mixed(hash, packUnorm4x8(a_bytes)), a_instance);
#endif
#ifdef MR_VIEWS
    hash = mixed(hash, gl_ViewIndex);
#endif
    uint pixel = hash & 4095u;
    gl_Position = vec4((vec2(pixel & 63u, pixel >> 6) + 0.5) / 32.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    v_hash = hash;
#ifdef MR_MORE
    v_more = ~hash;
#endif
}
