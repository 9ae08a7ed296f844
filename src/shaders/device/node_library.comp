// SPDX-License-Identifier: Apache-2.0
// The library that the compiler links: nothing but the functions.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "device/node.glsl"
