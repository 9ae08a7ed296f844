// SPDX-License-Identifier: Apache-2.0
// The functions that lowered node shaders call, where the node sends nothing and runs without the scheduler
// (docs/design.md, "Leaf dispatches").
#ifndef MILLRACE_DEVICE_LEAF_GLSL
#define MILLRACE_DEVICE_LEAF_GLSL

#include "abi/dispatch.h"
#include "device/shape.glsl"

uint64_t g_payload;  // the first, of a coalescing node
uint g_input_count;
uvec3 g_group_id;
uint g_remaining_and_index;

// Which of those that share our workgroup is the invocation's.
uint mr_place()
{
    return MR_KIND == kKindPacked ? gl_LocalInvocationIndex
           : mr_is_beside()       ? gl_LocalInvocationIndex / MR_NODE_SIZE
                                  : 0u;
}

#if defined(MR_FED)
#include "device/fed_leaf.glsl"
#else
#include "device/known_leaf.glsl"
#endif

bool mr_active()
{
    return g_input_count > 0u;
}

uvec3 mr_workgroup_id()
{
    return g_group_id;
}

uint mr_input_count()
{
    return g_input_count;
}

uint64_t mr_input_element(const uint i)
{
    return MR_KIND == kKindCoalescing ? g_payload + uint64_t(min(i, MR_INPUT_TABLE - 1u)) * mr_stride()
                                      : g_payload;
}

// The input is the only array of payloads.
uvec4 mr_input_handle()
{
    return uvec4(0u, 0u, g_input_count, 0u);
}

uint64_t mr_element(const uvec4 handle, const uint i)
{
    return mr_input_element(i);
}

uint mr_array_length(const uvec4 handle)
{
    return handle.z;
}

uint mr_remaining_recursion()
{
    return g_remaining_and_index & 0xffffu;
}

uint mr_shader_index()
{
    return g_remaining_and_index >> 16;
}

#endif
