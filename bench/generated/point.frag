// SPDX-License-Identifier: Apache-2.0
#version 460
layout(location = 0) flat in uint color;
layout(location = 0) out uint target;

void main()
{
    target = color;
}
