#version 450
// The vertex's color, one from a buffer and one from push constants.
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 mixed_color;
layout(set = 0, binding = 0) readonly buffer In { vec4 factor; };
layout(push_constant) uniform Push { layout(offset = 16) vec4 added; };

void main()
{
    mixed_color = color * factor + added;
}
