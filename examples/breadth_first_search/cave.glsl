// SPDX-License-Identifier: Apache-2.0
// What the nodes of this graph agree on.
const int kSide = 32;
const uint kRock = 0;
const uint kNotReached = 0xffffffff;

layout(set = 0, binding = 1) buffer Distances {
    uint reached;
    uint farthest;
    uint distances[kSide * kSide];
};
