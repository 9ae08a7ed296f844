#version 460
// SPDX-License-Identifier: Apache-2.0
// Inputs that are shared have to come from a node.
layout(name = "image", static_grid = uvec3(1, 1, 1)) node;
layout(local_size_x = 1) in;

struct Image {
    uint unused;
};
layout(node = "downsample", finish_tracking) nodeout Image images[1];

void main()
{
    allocateWorkgroup(images, 1);
    images[0].unused = 0;
    enqueue(images);
}
