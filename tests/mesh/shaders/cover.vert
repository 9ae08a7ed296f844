#version 460
// Four vertices that cover the picture as a strip.
void main()
{
    gl_Position = vec4(2 * (gl_VertexIndex & 1) - 1, 2 * (gl_VertexIndex >> 1) - 1, 0, 1);
}
