// SPDX-License-Identifier: Apache-2.0
// What a traced sweep writes for the host (docs/trace.md). Only there if tracing is on; node shaders know nothing of
// it.
#ifndef MILLRACE_ABI_TRACE_H
#define MILLRACE_ABI_TRACE_H
#include "language.h"
MR_ABI_BEGIN

// A ring of records in host memory: one for each sweep. The device never waits for the host: what does not fit is lost
// and counted. One record stays free, so that the one at `written` never holds what the host may still read.
struct TraceRing {
    uint written;   // records, by the device; modulo 2^32, as the next
    uint read;      // records, by the host
    uint capacity;  // records, a power of two
    uint lost;      // records, by the device
};

MR_CONST uint kTraceRingBytes = 64u;  // from the ring to its first record

// A record: this, then uint64_t[timeCount], TraceSlot[slotCount], TraceStream[streamCount], TraceLevel[levelCount],
// uint64_t[markCount].
struct TraceSweep {
    uint sweep;  // since the dispatch began
    uint error;  // GraphStatus::error
    uint errorCount;
    uint pad0;
    uint64_t fed;     // chunks of API payloads so far
    uint64_t toFeed;  // chunks there are
};

struct TraceSlot {
    uint64_t before;  // units taken before this sweep
    uint64_t after;   // units taken
    uint64_t total;   // units there are
    uint records;     // payloads of which this sweep took the first unit
    uint pad0;
};

struct TraceStream {
    uint64_t units;
    uint64_t entries;
};

struct TraceLevel {
    uint used;  // granules of its region; nothing where everything fits
    uint pad0;
};

// snapshot.comp: one record, before the turn shader; where everything fits, or as soon as nobody counts any more.
struct SnapshotArguments {
    uint64_t graph;
    uint64_t ring;
    uint64_t times;  // uint64_t[timeCount]; 0: the host fills them in
    uint timeCount;
    uint recordBytes;
    uint flags;  // kFlagFits
    uint pad0;
};

// mark.comp: how many payloads some streams have received, into the record that snapshot.comp will complete.
struct MarkArguments {
    uint64_t graph;
    uint64_t ring;
    uint64_t streams;  // uint[count]
    uint count;
    uint recordBytes;
    uint offset;  // bytes from the record to the first mark
    uint pad0;
};

MR_ABI_END
#endif
