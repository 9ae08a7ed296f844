#version 460
// SPDX-License-Identifier: Apache-2.0
layout(name = "entry", coalescing) node;
layout(local_size_x = 1) in;

struct Place {
    uint place;
};
layout(node = "recursive") nodeout Place places[2];

void main()
{
    allocateInvocation(places, 2);
    places[0].place = 1;
    places[1].place = 2;
    enqueue(places);
}
