#version 460
#extension GL_GOOGLE_include_directive : require
// SPDX-License-Identifier: Apache-2.0
#include "scene.glsl"
layout(name = "shade", coalescing, api_entry = false) node;
layout(local_size_x = 1) in;

struct Hit {
    uvec2 pixel;
    ivec3 origin;
    ivec3 direction;
    uint distance_;
};
nodein Hit hit[1];

layout(push_constant, scalar) uniform Arguments { Words colours; };

void main()
{
    const Ray ray = Ray(hit[0].pixel, hit[0].origin, hit[0].direction, hit[0].distance_);
    colours.v[ray.pixel.y * WIDTH + ray.pixel.x] = shade(ray, MATERIAL);
}
