// SPDX-License-Identifier: Apache-2.0
// The flat value behind two registers of clip distances.
#version 460
layout(location = 2) flat in uint value;
layout(location = 0) out uint result;
void main()
{
    result = value;
}
