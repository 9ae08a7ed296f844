// SPDX-License-Identifier: Apache-2.0
// The library that the compiler links: nothing but the functions.
#version 460
#extension GL_GOOGLE_include_directive : require
#define MR_READ_ONLY readonly
#include "device/node.glsl"
