// SPDX-License-Identifier: Apache-2.0
// What nodes that send nothing need where the host launches them: nothing but the functions.
#version 460
#extension GL_GOOGLE_include_directive : require
#define MR_READ_ONLY readonly
#include "device/leaf.glsl"
