// SPDX-License-Identifier: Apache-2.0
// The flat value of a primitive's vertices.
#version 460
layout(location = 1) flat in uint value;
layout(location = 0) out uint result;
void main()
{
    result = value;
}
