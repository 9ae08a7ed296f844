#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 1000) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 0) buffer Words { uint words[]; };
uvec2 sum(uvec2 a, uvec2 b)
{
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint p = source[i] * 0x89abcdefu, q = ~source[(i + 1) & 63] * 0x12345677u;
    uvec2 one = sum(uvec2(p, q), uvec2(q, p));
    uvec4 two = uvec4(sum(uvec2(p, 1), uvec2(p, 3)), sum(uvec2(p, 2), uvec2(~p, 4)));
    words[i] = one.x ^ one.y * 3 ^ two.x * 5 ^ two.y * 7 ^ two.z * 11 ^ two.w * 13;
}
