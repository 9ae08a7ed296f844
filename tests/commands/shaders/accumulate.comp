#version 450
#extension GL_GOOGLE_include_directive : require
// Adds a number that depends on all that an invocation knows of its dispatch to a place that does as well: the order of
// dispatches changes nothing.
#include "mixed_words.glsl"
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint kSalt = 7u;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
// A vector, an array that is indexed dynamically, and scalars.
layout(push_constant) uniform Push { uvec4 first; uint list[5]; uint last[3]; } push;

shared uint s_sum[4];

void main()
{
    uint hash = kSalt;
    for (int i = 0; i < 4; ++i)
        hash = mixed(hash, push.first[i]);
    for (int i = 0; i < 5; ++i)
        hash = mixed(hash, push.list[i]);
    hash = mixed(mixed(mixed(hash, push.last[0]), push.last[1]), push.last[2]);
    for (int i = 0; i < 3; ++i)
        hash = mixed(mixed(mixed(hash, gl_WorkGroupID[i]), gl_NumWorkGroups[i]), gl_GlobalInvocationID[i]);
    // A barrier, which all invocations of a workgroup have to reach.
    s_sum[gl_LocalInvocationIndex] = hash;
    barrier();
    hash = mixed(hash, s_sum[gl_LocalInvocationIndex ^ 1u]);
    atomicAdd(words[hash & 1023u], hash);
}
