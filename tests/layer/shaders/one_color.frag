#version 450
layout(location = 0) out vec4 color;
layout(push_constant) uniform Push { layout(offset = 16) vec4 wanted; };

void main()
{
    color = wanted;
}
