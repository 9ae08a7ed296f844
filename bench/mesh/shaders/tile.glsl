// SPDX-License-Identifier: Apache-2.0
// A tile of 64 patches: what a workgroup sends of it, to a mesh node or by hand.
const uint kTileItems = 256u;
