// SPDX-License-Identifier: Apache-2.0
// The smallest shader on which SwiftShader crashes when a pipeline is made of it (docs/drivers.md): a reference to a buffer
// gets its value behind a branch. No widths of integers but 32 bits.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 1) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word
{
    uint value;
};

layout(push_constant) uniform Arguments
{
    uvec2 address;
    uint isWritten;
};

void main()
{
#ifdef CHOOSES_ADDRESS
    uvec2 chosen = uvec2(0u);
    if (isWritten != 0u)
        chosen = address;
    Word word = Word(chosen);
#else
    Word word;
    if (isWritten != 0u)
        word = Word(address);
#endif
    word.value = 7u;
}
