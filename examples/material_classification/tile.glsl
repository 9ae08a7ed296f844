// SPDX-License-Identifier: Apache-2.0
// What the nodes of this graph agree on.
const uint kMaterials = 4;  // sky, floor, ball, box

// The payload of the nodes "shade": a tile of 8 x 8 pixels in which the material is seen.
struct Tile {
    uvec2 corner;
};
