// SPDX-License-Identifier: Apache-2.0
// The payload of node "test": a point of the lattice.
struct Point {
    uint x, y;
};
