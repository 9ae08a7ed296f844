#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(set = 0, binding = 4000) buffer Counter { uint counter; };
void main()
{
    words[atomicAdd(counter, 1)] = 9;
    if (gl_GlobalInvocationID.x == 200) { words[900] = atomicAdd(counter, ~0u) - 1; }
}
