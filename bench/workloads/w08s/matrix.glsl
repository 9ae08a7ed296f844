// SPDX-License-Identifier: Apache-2.0
// A sparse matrix by rows, times a vector. Rows are short (one invocation), medium (a workgroup) or long (several).
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "../buffers.glsl"
const uint kShort = 32;
const uint kMedium = 2048;

uint product(Pairs entries, Words vector, uint i)
{
    const uvec2 entry = entries.v[i];  // column, value
    return entry.y * vector.v[entry.x];
}

#ifdef LOCAL
shared uint total;

// Of a whole workgroup, to its first invocation.
uint sumOf(Pairs entries, Words vector, uint begin, uint end)
{
    if (gl_LocalInvocationIndex == 0) {
        total = 0;
    }
    barrier();
    uint sum = 0;
    for (uint i = begin + gl_LocalInvocationIndex; i < end; i += LOCAL) {
        sum += product(entries, vector, i);
    }
    sum = subgroupAdd(sum);
    if (subgroupElect()) {
        atomicAdd(total, sum);
    }
    barrier();
    return total;
}
#endif
