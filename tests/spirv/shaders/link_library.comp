#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(constant_id = 7) const uint KIND = 0u;
layout(constant_id = 8) const bool IS_TWICE = false;

layout(buffer_reference, scalar) buffer Words { uint v[]; };

shared uint s_total;
uint g_calls = 0u;

// Uses a builtin that the other module declares as well, shared memory, a private variable with an initializer.
void test_add(const uint64_t address, const uint value)
{
    g_calls++;
    if (gl_LocalInvocationIndex == 0u)
        s_total = 0u;
    barrier();
    atomicAdd(s_total, value + g_calls);
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        atomicAdd(Words(address).v[0], s_total);
}

uint test_kind(const uint value)
{
    uint factor = 1u;
    if (KIND == 1u)
        factor = 12345u;
    else if (KIND == 2u)
        factor = 54321u;
    return value * factor * (IS_TWICE ? 2u : 1u);
}

uint test_unused(const uint value)
{
    return value + 999u;
}
