// SPDX-License-Identifier: Apache-2.0
#include "matrix.glsl"
struct Row {
    uint row;
    uint begin;
    uint count;
};
struct LongRow {
    dispatch_grid uint groups;
    uint row;
    uint begin;
    uint count;
};
layout(push_constant, scalar) uniform Arguments { Words results; Words offsets; Pairs entries; Words vector; };
