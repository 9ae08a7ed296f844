// SPDX-License-Identifier: Apache-2.0
// Stands in the driver for a shader object that it cannot have. Never runs.
#version 460
layout(local_size_x = 1) in;

void main()
{
}
