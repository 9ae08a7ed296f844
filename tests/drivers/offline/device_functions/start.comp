#version 460
// SPDX-License-Identifier: Apache-2.0
// Sends to a node of each kind.
#include "payloads.glsl"

layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 64) in;

nodein OfStatic given;
layout(node = "fixed") nodeout OfStatic fixedOnes[64];
layout(node = "grown") nodeout OfDynamic grownOnes[64];
layout(node = "gathered") nodeout OfCoalescing gatheredOnes[64];
layout(node = "single") nodeout OfPacked singleOnes[64];

void main()
{
    const uint i = gl_LocalInvocationIndex;
    allocateWorkgroup(fixedOnes, 64);
    allocateWorkgroup(grownOnes, 64);
    allocateWorkgroup(gatheredOnes, 64);
    allocateWorkgroup(singleOnes, 64);
    fixedOnes[i].value = given.value;
    grownOnes[i].groups = uvec3(2, 1, 1);
    grownOnes[i].value = given.value;
    gatheredOnes[i].value = given.value;
    singleOnes[i].value = given.value;
    enqueue(fixedOnes);
    enqueue(grownOnes);
    enqueue(gatheredOnes);
    enqueue(singleOnes);
}
