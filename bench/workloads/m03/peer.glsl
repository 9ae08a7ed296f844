// SPDX-License-Identifier: Apache-2.0
// The published emulation's scheme, as w01/peer.glsl; a run has up to 256 payloads, which lie one invocation's after the
// other's.
#include "arguments.glsl"
const uint kPool = 0;
const uint kEntries = 1;
const uint kCount = 2;
const uint kExpandGrid = 4;   // and behind it the number of entries
const uint kAbsorbGrid = 8;   // and behind it the number of payloads
const uint kOffsets = 16;
#define ENTRIES_AT (kOffsets + count)
