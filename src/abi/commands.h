// SPDX-License-Identifier: Apache-2.0
// What the variants of shaders for generated commands are told, and the tables that kernels write for them.
#ifndef MILLRACE_ABI_COMMANDS_H
#define MILLRACE_ABI_COMMANDS_H
#include "language.h"
MR_ABI_BEGIN

// Pushed for each variant at offset 0; the application's own push constants are in memory.
struct SequenceArguments {
    // The first sequence's record in the application's stream, also where firstSequence is not 0. A multiple of 4. Of
    // mesh shaders: mesh.h says what.
    uint64_t stream;
    // The application's push constants as they are at execution, from offset 0 on: as many bytes as its pipeline layout
    // has. A multiple of 16.
    uint64_t pushConstants;
    // Dispatches: SequenceTable of the pipeline. Draws with index buffers in the layout: BoundVertexBuffer[], a row for
    // each binding of the pipeline's vertex input; other draws: 0.
    uint64_t table;
    uint stride;         // bytes from one record to the next, a multiple of 4
    uint firstSequence;  // draws: what DrawIndex 0 is, a sequence or an entry of DrawTable; or what the only draw is
};

// The workgroups of all sequences of a pipeline run in one dispatch, numbered through in rows of so many: workgroup
// number WorkgroupId.x + kRowGroups * (WorkgroupId.y + kRows * WorkgroupId.z).
MR_CONST uint kRowGroups = 32768u;
MR_CONST uint kRows = 32768u;

// Which sequences run with a pipeline. 16 bytes, at a multiple of 16.
struct SequenceTable {
    uint sequenceCount;
    uint groupCount;   // workgroups of all of them; the dispatch has as many or more. Draws: of all of them
    uint64_t entries;  // SequenceEntry[sequenceCount], a multiple of 8
};

// In the order of `sequence`; that is what variants search by `firstGroup`.
struct SequenceEntry {
    uint sequence;    // its record is at SequenceArguments::stream + sequence * stride
    uint firstGroup;  // the sum of the workgroups of the entries in front of it
};

// One draw of those that kernels write where the application's stream does not have them as they are drawn: several for
// a sequence, or those of one pipeline among several. 16 bytes.
struct DrawEntry {
    uint sequence;
    uint drawIndex;      // what the shaders' DrawIndex is
    uint vertexOffset;   // of VkDrawIndexedIndirectCommand, else 0
    uint firstInstance;  // of the command, if it has one
};

// Lies in front of SequenceArguments::pushConstants for such draws. Draw number DrawIndex of a multi-draw then is entry
// firstSequence + DrawIndex, a draw by itself entry firstSequence. 16 bytes.
struct DrawTable {
    uint64_t entries;  // DrawEntry[], a multiple of 16
    uint64_t pad0;
};

// The kernels in front of dispatches (src/shaders/meta/commands) work on blocks of so many sequences.
MR_CONST uint kBlockSequences = 128u;

// What a block has of one pipeline, and later what is in front of it.
struct BlockSum {
    uint sequences;
    uint groups;  // workgroups of them, modulo 2^32
};

// VkDispatchIndirectCommand at a multiple of 16. Draws: of the kernel that writes the pipeline's row.
struct DispatchCommand {
    uint x;
    uint y;
    uint z;
    uint pad0;
};

MR_CONST uint kNoExecutionSet = 0xffffffffu;
MR_CONST uint kNoMember = 0xffffffffu;

MR_CONST uint kSortCounted = 1u;  // VkDrawIndirectCountIndirectCommandEXT is in the record, else the command itself
MR_CONST uint kSortNoBegin = 2u;  // firstInstance of VkDrawIndirectCommand becomes 0 in what is written

// Of all those kernels. Addresses of arrays, per pipeline where nothing else is said.
struct SortArguments {
    uint64_t stream;
    uint64_t sequenceCount;  // of a uint, or 0: there are maxSequenceCount
    uint64_t dispatches;     // DispatchCommand
    uint64_t tables;         // SequenceTable
    uint64_t entries;        // SequenceEntry[maxSequenceCount]
    uint64_t sums;           // BlockSum[pipelineCount * blockCount + 1], those of a pipeline side by side
    uint64_t draws;          // commands of commandWords words each: rows of draws, see rowDraws
    uint64_t drawEntries;    // DrawEntry, likewise
    uint64_t setParts;  // uint[setStages * setSize], those of a stage side by side: what an index of the set adds to
                        // the number of the pipeline, or kNoMember. 0: the record has that number itself
    // Ordered draws: uint[maxSequenceCount * pipelineCount], those of a sequence side by side. 0: each sequence has a
    // row of draws for each pipeline, those that are not there draw nothing.
    uint64_t drawCounts;
    uint stride;        // bytes of a record
    uint actionOffset;  // of VkDispatchIndirectCommand in a record
    uint setOffset;     // of the index of the pipeline in a record, or kNoExecutionSet
    uint maxSequenceCount;
    uint pipelineCount;
    uint blockCount;
    uint maxDrawCount;  // of a sequence; 0: dispatches
    uint flags;         // kSort*
    // 3: VkDrawMeshTasksIndirectCommandEXT, 4: VkDrawIndirectCommand, 5: VkDrawIndexedIndirectCommand
    uint commandWords;
    uint pipeline;   // whose row is written
    uint setStages;  // indices in a record, one behind the other
    uint setSize;    // that are less
};

// What a step of gathering does with the first words that it reads.
MR_CONST uint kGatherCopy = 0u;     // as they are
MR_CONST uint kGatherReplace = 1u;  // the first one, if it is `from`, becomes `to`; else nothing is written
MR_CONST uint kGatherMask = 2u;     // of the first one the bits of `from`
MR_CONST uint kGatherFollow = 3u;   // they are the address of a pipeline: its number, or kNoMember where none has it

// A sequence's record is put together from several streams (src/shaders/meta/commands/gather.comp). Steps are done one
// behind the other. 32 bytes.
struct GatherStep {
    uint64_t source;  // of the words of sequence 0 in their stream, a multiple of 4
    uint stride;      // bytes from one sequence to the next
    uint kind;        // kGather*
    uint target;      // word of the record
    uint words;       // of kGatherCopy
    uint from;
    uint to;
};

// A pipeline that streams name by the address of the memory that the application gave for it. 16 bytes.
struct PipelinePlace {
    uint64_t address;
    uint number;
    uint pad0;
};
// Stands in that memory, with the number in the low bits, once the application has asked for it.
MR_CONST uint kPipelineMark = 0x4d520000u;

struct GatherArguments {
    uint64_t steps;            // GatherStep[stepCount]
    uint64_t sequenceCount;    // of a uint, or 0: there are maxSequenceCount
    uint64_t sequenceIndices;  // of uint[]: what number a sequence has in the streams, or 0: its own
    uint64_t records;          // what is written, a multiple of 4
    uint64_t places;           // PipelinePlace[placeCount], in the order of addresses, each of which is there once
    uint stepCount;
    uint stride;  // bytes of a record
    uint maxSequenceCount;
    uint placeCount;
    // That the streams have something of. Sequences with other numbers get records of zeros.
    uint numberCount;
    uint indexCount;  // at sequenceIndices; sequences behind them likewise
};

// What vkCmdBindVertexBuffers2 has bound, for draws whose vertex shader fetches all attributes. 16 bytes, at a
// multiple of 16. Of the size of VkBindVertexBufferIndirectCommandEXT, and with the same members.
struct BoundVertexBuffer {
    uint64_t address;
    uint size;    // at most 2^32 - 1
    uint stride;  // read where the pipeline does not say it
};

MR_ABI_END
#endif
