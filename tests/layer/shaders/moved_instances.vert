#version 450
// Two attributes: where, for each vertex, and in what color, for each instance.
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 instance_color;
layout(location = 0) out vec4 color;

void main()
{
    color = instance_color;
    gl_Position = vec4(position + vec2(0.3, 0.2) * gl_InstanceIndex, 0.0, 1.0);
}
