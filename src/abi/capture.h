// SPDX-License-Identifier: Apache-2.0
// What captures payloads (docs/capture.md) hand to the shader that copies them, and what it gives back.
#ifndef MILLRACE_ABI_CAPTURE_H
#define MILLRACE_ABI_CAPTURE_H
#include "language.h"
MR_ABI_BEGIN

MR_CONST uint kCompareNothing = 0u;  // all payloads
MR_CONST uint kCompareEqual = 1u;
MR_CONST uint kCompareUnequal = 2u;
MR_CONST uint kCompareLess = 3u;
MR_CONST uint kCompareLessEqual = 4u;
MR_CONST uint kCompareGreater = 5u;
MR_CONST uint kCompareGreaterEqual = 6u;

MR_CONST uint kMemberUnsigned = 0u;
MR_CONST uint kMemberSigned = 1u;
MR_CONST uint kMemberFloat = 2u;

// A filter for one slot. The host writes all but `seen`, `run` and `taken`.
struct CaptureJob {
    uint slot;
    uint first;    // payloads of a run that are captured at most; of all slots of the filter
    uint counter;  // the job whose `taken` counts for the filter
    uint compare;  // kCompare*
    uint memberKind;
    uint memberOffset;
    uint memberBytes;  // 1, 2, 4 or 8
    uint payloadBytes;
    uint64_t value;  // as the member has it: sign-extended where signed
    uint seen;       // payloads of the stream that were looked at
    uint run;        // of the dispatch: how often it began
    uint taken;      // payloads of the run that passed
    uint pad0;
};

MR_CONST uint kCaptureJobBytes = 56u;

// A ring of records as TraceRing has it. A record is a CaptureRecord, then the payload's words.
struct CaptureRing {
    uint written;
    uint read;
    uint capacity;
    uint lost;
};

MR_CONST uint kCaptureRingBytes = 64u;

struct CaptureRecord {
    uint job;
    uint run;  // from 1 on
    uint sweep;
    uint number;  // of the payload in its queue
};

MR_CONST uint kCaptureRecordBytes = 16u;

// capture.comp: looks at what has arrived for one job, or begins a sweep for all.
struct CaptureArguments {
    uint64_t graph;
    uint64_t jobs;  // CaptureJob[]
    uint64_t ring;
    uint job;  // jobCount: begin a sweep
    uint jobCount;
    uint recordBytes;
    uint pad0;
};

MR_ABI_END
#endif
