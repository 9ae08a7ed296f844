#version 460
// SPDX-License-Identifier: Apache-2.0
// Koch's curve: a node that sends four smaller segments to itself until no recursion is left, then draws its own.
// With `index` each segment knows its place on the curve, whatever the order in which nodes run.
layout(constant_id = 0) const uint DEPTH = 3;
layout(name = "segment", static_grid = uvec3(1, 1, 1), recursion = DEPTH) node;
layout(local_size_x = 4) in;

struct Segment {
    vec2 from;
    vec2 to;
    uint index;
};
nodein Segment segment;
layout(node = "segment") nodeout Segment parts[4];

layout(set = 0, binding = 0, scalar) buffer Curve { vec4 curve[]; };
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D picture;

// Point k of the five that make four segments of one. `precise`, so that every device computes the same bits.
vec2 point(uint k)
{
    precise vec2 third = (segment.to - segment.from) * (1.0 / 3.0);
    precise vec2 height = vec2(-third.y, third.x) * 0.8660254;
    precise vec2 tip = segment.from + third * 1.5 + height;
    precise vec2 first = segment.from + third;
    precise vec2 second = segment.to - third;
    const vec2 points[5] = {segment.from, first, tip, second, segment.to};
    return points[k];
}

// Every fourth point of the segment.
void draw(uint first)
{
    const uint kPoints = 32;
    for (uint i = first; i < kPoints; i += 4) {
        precise vec2 way = (segment.to - segment.from) * (float(i) / kPoints);
        precise vec2 at = (segment.from + way) * 192.0 + vec2(32, 80);
        imageStore(picture, ivec2(at), vec4(1, 0.6, 0.2, 1));
    }
}

void main()
{
    const uint k = gl_LocalInvocationIndex;
    if (remainingRecursion() == 0) {
        if (k == 0) {
            curve[segment.index] = vec4(segment.from, segment.to);
        }
        draw(k);
        return;
    }
    allocateWorkgroup(parts, 4);
    parts[k].from = point(k);
    parts[k].to = point(k + 1);
    parts[k].index = segment.index * 4 + k;
    enqueue(parts);
}
