// SPDX-License-Identifier: Apache-2.0
// The published emulation's scheme: one pool for all payloads; a run of payloads from one subgroup to one node takes
// three atomics and an entry; a setup dispatch adds up, an expanding dispatch makes an offset of each payload, and each
// node has an indirect dispatch.
#include "arguments.glsl"
const uint kPool = 0;         // payloads in the pool
const uint kEntries = 1;      // entries
const uint kExpandGrid = 4;   // arguments of the expanding dispatch
const uint kExpandCount = 7;  // entries to expand
const uint kCounts = 256;     // of payloads, for each node
const uint kNodes = 512;      // groups, 1, 1, payloads for each node
const uint kBases = 1024;     // first offset for each node
const uint kOffsets = 2048;   // one of each payload
// Entries are behind the offsets: place in the pool | count << 24, rank | node << 24.
const uint kEntriesAt = kOffsets + WIDTH * HEIGHT + (WIDTH * HEIGHT & 1);
