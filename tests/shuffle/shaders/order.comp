#version 460
// Each invocation reads what another wrote to shared memory. Wrong without the barrier (NO_BARRIER).
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint v[]; };
shared uint s[64];

void main()
{
    uint i = gl_LocalInvocationIndex;
    s[i] = i + 100u;
#if !defined(NO_BARRIER)
    barrier();
#endif
    // Of subgroups in front of this one alone, which may have run as a whole.
    v[i] = i < 32u ? s[i] : s[i - 32u];
}
