#version 450
// The color comes from a buffer.
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) readonly buffer In { vec4 wanted; };

void main()
{
    color = wanted;
}
