// SPDX-License-Identifier: Apache-2.0
// What the nodes of this graph agree on: the payload of node "row".
struct Row {
    dispatch_grid uvec3 columns;  // one workgroup for each column
    uint y;
};
