// SPDX-License-Identifier: Apache-2.0
#version 460
layout(local_size_x = 64) in;
void main() {}
