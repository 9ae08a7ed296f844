// SPDX-License-Identifier: Apache-2.0
// The table of a dispatch that one workgroup runs alone (docs/design.md, "Solo"): words that the host lays out and the
// workgroup copies to its shared memory. Places are words from the start of the table.
#ifndef MILLRACE_ABI_SOLO_H
#define MILLRACE_ABI_SOLO_H
#include "language.h"
MR_ABI_BEGIN

MR_CONST uint kSoloTableWords = 2048u;  // a table has at most so many
// Payloads of a queue that has consumers with grids of the payloads: they are added up in shared memory.
MR_CONST uint kSoloGridPayloads = 256u;
MR_CONST uint kSoloGridsEach = 8u;  // for each invocation of our workgroup
MR_CONST uint kSoloGranules = 4096u;  // payloads that the table brings along have at most so many

// Pushed in place of NodeArguments; the application's push constants stand where they are there.
struct SoloArguments {
    uint64_t graph;          // the start of the scratch memory
    uint64_t table;          // whole granules; payloads of the API follow
    uint64_t pushConstants;  // as in NodeArguments
    uint granules;           // of the table, and (upper half) of those payloads
    uint begin;              // granule of the scratch memory to which they go
};

// The start of the table.
MR_CONST uint kSoloGraph = 0u;   // GraphHeader::graph
MR_CONST uint kSoloTrash = 1u;   // granule, as in the GraphHeader
MR_CONST uint kSoloStatus = 2u;  // address of the GraphStatus in host memory, two words
MR_CONST uint kSoloSteps = 4u;   // place of the first step,
MR_CONST uint kSoloStepCount = 5u;
MR_CONST uint kSoloQueues = 6u;  // of the first queue
MR_CONST uint kSoloHeaderWords = 8u;

// A step: one slot. Steps come in order of level.
MR_CONST uint kSoloStepCode = 0u;      // which of the nodes' codes
MR_CONST uint kSoloStepKind = 1u;      // kKind*
MR_CONST uint kSoloStepNewLevel = 2u;  // 1: the first of its level, unless that is the dispatch's first
MR_CONST uint kSoloStepQueue = 3u;     // place of the queue that it reads
MR_CONST uint kSoloStepSize = 4u;      // invocations of one of the node's workgroups
MR_CONST uint kSoloStepBeside = 5u;    // workgroups that run side by side
// Static: workgroups of a payload; coalescing: payloads of a workgroup; else 1.
MR_CONST uint kSoloStepUnits = 6u;
MR_CONST uint kSoloStepRemaining = 7u;    // recursion
MR_CONST uint kSoloStepShader = 8u;       // shader index
MR_CONST uint kSoloStepName = 9u;         // of the node, for reports
MR_CONST uint kSoloStepFinish = 10u;      // SlotInfo::finishOffset
MR_CONST uint kSoloStepOutputs = 11u;     // place of the first output
MR_CONST uint kSoloStepGrid = 12u;        // three words. Static: the grid; dynamic: the largest
MR_CONST uint kSoloStepMaxGroups = 15u;   // dynamic: of one payload
MR_CONST uint kSoloStepGridOffset = 16u;  // dynamic: of the grid in the payload, in bytes,
MR_CONST uint kSoloStepGridParts = 17u;   // its components, and (upper half) the bytes of each
// Single invocations: the one that takes the first unit, so that slots of one level run in different subgroups.
MR_CONST uint kSoloStepTurn = 18u;
MR_CONST uint kSoloStepWords = 19u;

// A queue: its payloads lie one after the other, those of the API apart from the others.
MR_CONST uint kSoloQueueCount = 0u;     // payloads; those of the API at first. The workgroup adds to it
MR_CONST uint kSoloQueueFailed = 1u;    // what the count was when it first went beyond the capacity
MR_CONST uint kSoloQueueCapacity = 2u;  // payloads, those of the API included
MR_CONST uint kSoloQueueStride = 3u;    // bytes
MR_CONST uint kSoloQueueFed = 4u;       // payloads of the API,
MR_CONST uint kSoloQueueFedAt = 5u;     // granule where they begin
MR_CONST uint kSoloQueueAt = 6u;        // granule where the others begin
MR_CONST uint kSoloQueueFinish = 7u;    // bytes to the first finish counter,
MR_CONST uint kSoloQueueFinishCount = 8u;
MR_CONST uint kSoloQueueWords = 9u;

// An output of a slot.
MR_CONST uint kSoloOutputMap = 0u;  // place of the queue (a word: its place, or kNoQueue) of node index 0
MR_CONST uint kSoloOutputCount = 1u;  // node indices
MR_CONST uint kSoloOutputWords = 2u;

MR_ABI_END
#endif
