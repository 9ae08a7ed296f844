// SPDX-License-Identifier: Apache-2.0
// One payload for all tiles: workgroups of one payload can find out who is the last.
struct Tiles {
    dispatch_grid uvec2 count;
};
