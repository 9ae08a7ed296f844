// SPDX-License-Identifier: Apache-2.0
// The library for nodes that recurse depth first: nothing but the functions.
#version 460
#extension GL_GOOGLE_include_directive : require
#define MR_READ_ONLY readonly
#define MR_PACKED
#define MR_DEPTH_FIRST
#include "device/node.glsl"
