// SPDX-License-Identifier: Apache-2.0
// What a task shader sends to the mesh shader: items, a workgroup each.
const uint kTaskUnits = 32u;
struct Payload {
    uint items[4u * kTaskUnits];
};
