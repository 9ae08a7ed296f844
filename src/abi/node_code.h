// SPDX-License-Identifier: Apache-2.0
// The specialization constants of the functions that are linked into nodes (src/shaders/device). All have values by the
// time a node is compiled: no driver sees them.
#ifndef MILLRACE_ABI_NODE_CODE_H
#define MILLRACE_ABI_NODE_CODE_H
#include "graph_memory.h"
MR_ABI_BEGIN

// What chooses between kinds of code.
MR_SPEC_CONSTANT(2000, uint, Kind, MR_KIND, 0u)                 // kKind*
MR_SPEC_CONSTANT(2001, uint, Emits, MR_EMITS, kEmitsToSeveral)  // kEmits*
MR_SPEC_CONSTANT(2002, bool, Indirect, MR_INDIRECT, false)      // the dispatch is one
MR_SPEC_CONSTANT(2003, bool, Batched, MR_BATCHED, true)         // the dispatch may run several slots
MR_SPEC_CONSTANT(2004, bool, Begins, MR_BEGINS, false)          // with MR_FITS: the one workgroup of the first level
                                                                // may do what meta/begin.comp does
MR_SPEC_CONSTANT(2005, bool, Counted, MR_COUNTED, false)        // finished workgroups are counted for the host
// The node emits nothing and cannot tell which invocations share its workgroup, so that nothing has to be collective
// but the search for the first payload. Several of its workgroups may run side by side in one of ours.
MR_SPEC_CONSTANT(2007, bool, Loose, MR_LOOSE, false)
// The node's code calls mr_step() behind each workgroup (the pass stepThroughGrid), so that mr_next() need not.
MR_SPEC_CONSTANT(2008, bool, StepsInside, MR_STEPS_INSIDE, false)
// Of the workgroups of a payload, at most one sends, behind mr_finish_writing()
// (graph::NodeDeclaration::sendsWhenFinished).
MR_SPEC_CONSTANT(2009, bool, SendsOnce, MR_SENDS_ONCE, false)
MR_SPEC_CONSTANT(2010, bool, Keeps, MR_KEEPS, false)       // leaves: workgroups of ours have scratch memory
MR_SPEC_CONSTANT(2042, bool, OneEach, MR_ONE_EACH, false)  // no invocation allocates more than one payload at a time
MR_SPEC_CONSTANT(2043, bool, Shares, MR_SHARES, false)     // recursion depth first: device/sharing.glsl
// What linking found out of the graph (graph::CodeTraits), or nothing.
MR_SPEC_CONSTANT(2011, bool, SendsGrids, MR_SENDS_GRIDS, true)      // a receiver may read its grid from the payload
MR_SPEC_CONSTANT(2012, bool, SendsTracked, MR_SENDS_TRACKED, true)  // payloads may have finish counters
// Node index i of an output leads to queue first + i, whose one stream has that number.
MR_SPEC_CONSTANT(2013, bool, PlainQueues, MR_PLAIN_QUEUES, false)
MR_SPEC_CONSTANT(2031, bool, AlwaysReceived, MR_ALWAYS_RECEIVED, false)  // whatever the node allocates has a receiver

// Numbers.
MR_SPEC_CONSTANT(2020, uint, WorkgroupSize, MR_WORKGROUP_SIZE, 64u)  // invocations of our workgroup
MR_SPEC_CONSTANT(2021, uint, NodeSize, MR_NODE_SIZE, 64u)            // invocations of one of the node's
MR_SPEC_CONSTANT(2022, uint, SubgroupSize, MR_SUBGROUP_SIZE, 1u)     // the smallest that there may be
MR_SPEC_CONSTANT(2023, uint, GridX, MR_GRID_X, 1u)                   // static grid
MR_SPEC_CONSTANT(2024, uint, GridY, MR_GRID_Y, 1u)
MR_SPEC_CONSTANT(2025, uint, GridZ, MR_GRID_Z, 1u)
MR_SPEC_CONSTANT(2026, uint, Parts, MR_PARTS, 1u)                 // packed: invocations that have each payload
MR_SPEC_CONSTANT(2027, uint, InputTable, MR_INPUT_TABLE, 1u)      // entries of the table of input addresses
MR_SPEC_CONSTANT(2028, uint, InputStride, MR_INPUT_STRIDE, 0u)    // of all payloads that it receives, 0 if they differ
MR_SPEC_CONSTANT(2029, uint, InputBeside, MR_INPUT_BESIDE, 1u)    // payloads of one sender that neighbours of ours take
MR_SPEC_CONSTANT(2030, uint, OutputStride, MR_OUTPUT_STRIDE, 0u)  // of all payloads it sends, 0 if they differ
MR_SPEC_CONSTANT(2032, uint, Outputs, MR_OUTPUTS, 0u)             // so many of the first outputs are in s_output
MR_SPEC_CONSTANT(2033, uint, ChunkGroups, MR_CHUNK_GROUPS, 16u)   // workgroups of ours in a chunk at most
// That a workgroup of ours takes, if there is enough.
MR_SPEC_CONSTANT(2034, uint, ChunksPerGroup, MR_CHUNKS_PER_GROUP, 4u)
MR_SPEC_CONSTANT(2035, uint, OrderedBytes, MR_ORDERED_BYTES, 64u)  // that an invocation sends and that stay in order
MR_SPEC_CONSTANT(2036, uint, MemoryBytes, MR_MEMORY_BYTES, 0u)     // leaves: of scratch memory of a workgroup of ours
// Recursion depth first.
MR_SPEC_CONSTANT(2038, uint, BusyPayloads, MR_BUSY_PAYLOADS, 1u)    // so many keep the device busy
MR_SPEC_CONSTANT(2039, uint, SentMost, MR_SENT_MOST, 1u)            // payloads that the node sends at a time
MR_SPEC_CONSTANT(2040, uint, QueuePayloads, MR_QUEUE_PAYLOADS, 0u)  // that are kept in front of the stack
MR_SPEC_CONSTANT(2041, uint, LevelBits, MR_LEVEL_BITS, 1u)          // of g_open, for each level

MR_ABI_END
#endif
