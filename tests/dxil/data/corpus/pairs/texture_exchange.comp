#version 460
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 1, r32f) uniform image2D image;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main()
{
    ivec2 id = ivec2(gl_GlobalInvocationID.xy);
    words[16 * id.y + id.x] = floatBitsToUint(imageAtomicExchange(image, id, float(id.x) + 0.5));
}
