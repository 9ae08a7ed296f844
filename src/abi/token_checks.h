// SPDX-License-Identifier: Apache-2.0
// What the kernel that checks streams of generated commands is told, and what it finds (setting "validate").
#ifndef MILLRACE_ABI_TOKEN_CHECKS_H
#define MILLRACE_ABI_TOKEN_CHECKS_H
#include "language.h"
MR_ABI_BEGIN

// What a token has in the record. Others have nothing that can be wrong but their place.
MR_CONST uint kTokenPlain = 0u;
MR_CONST uint kTokenSet = 1u;           // an index for each stage of the execution set
MR_CONST uint kTokenVertexBuffer = 2u;  // VkBindVertexBufferIndirectCommandEXT
MR_CONST uint kTokenIndexBuffer = 3u;   // VkBindIndexBufferIndirectCommandEXT
MR_CONST uint kTokenDrawCount = 4u;     // VkDrawIndirectCountIndirectCommandEXT
MR_CONST uint kTokenGrid = 5u;          // VkDispatchIndirectCommand, VkDrawMeshTasksIndirectCommandEXT
MR_CONST uint kTokenStream = 6u;        // none: the sequence count, always in front of all tokens
MR_CONST uint kTokenPipeline = 7u;      // VkBindPipelineIndirectCommandNV

// What can be wrong with one, and what TokenFinding::words then are.
// It lies behind the end of the stream: what number the sequence has there. kTokenStream: there is no number of it.
MR_CONST uint kFaultPlace = 0u;
// The set has nothing there: the index, the number of the stage, 1: nor have all together. kTokenPipeline: the address
// (two words), kPipeline*.
MR_CONST uint kFaultMember = 1u;
MR_CONST uint kFaultAddress = 2u;    // no buffer has it all: the address (two words), the bytes
MR_CONST uint kFaultAlignment = 3u;  // of the address: the address (two words), what it should be a multiple of
MR_CONST uint kFaultStride = 4u;     // the stride
MR_CONST uint kFaultType = 5u;       // of indices: the type
MR_CONST uint kFaultCount = 6u;      // more than the most: the count
MR_CONST uint kFaultGrid = 7u;       // the grid, the number of the draw
MR_CONST uint kFaults = 8u;

// 36 bytes.
struct TokenCheck {
    uint kind;   // kToken*
    uint place;  // of its first byte in the record
    uint bytes;
    uint usage;      // kAddress*: of buffers that may have the address
    uint alignment;  // of the address and the stride. kTokenIndexBuffer: not read
    // The most of the stride (kTokenVertexBuffer) or the count; commands of so many bytes (kTokenDrawCount).
    uint most;
    uint commandBytes;
    uint grids;    // 1: what a count leads to are grids
    uint numbers;  // of sequences, that its stream has the token of, where records are gathered; else 2^32 - 1
};

MR_CONST uint kPipelineUnknown = 0u;   // none has the address
MR_CONST uint kPipelineUnmarked = 1u;  // its memory has not what was to be written there (kPipelineMark)
MR_CONST uint kPipelineUnplaced = 2u;  // it has no memory any more

MR_CONST uint kAddressVertex = 0u;
MR_CONST uint kAddressIndex = 1u;
MR_CONST uint kAddressIndirect = 2u;
MR_CONST uint kAddressUsages = 3u;

// In front of AddressRange[]. Those of usage u are numbers first[u] to first[u + 1] - 1. 16 bytes.
struct AddressTable {
    uint first[4];
};

// In the order of `begin`. A buffer that begins there or before it ends at `end`, and none of those ends later: so an
// address and as many bytes lie in one buffer if they do behind the last `begin` that is not above them. 16 bytes.
struct AddressRange {
    uint64_t begin;
    uint64_t end;
};

// Of one token and one fault, in all sequences together. 32 bytes.
struct TokenFinding {
    uint count;     // of sequences
    uint sequence;  // the lowest of them; kNoSequence: none yet
    uint written;   // the sequence that `words` are of
    uint isWritten;
    uint words[4];
};
MR_CONST uint kNoSequence = 0xffffffffu;

// The kernel runs twice: the first time it counts, the second time it writes the words of the lowest sequences.
struct CheckArguments {
    uint64_t stream;         // of the first record
    uint64_t streamBytes;    // from there on
    uint64_t sequenceCount;  // of a uint, or 0: there are maxSequenceCount
    uint64_t tokens;         // TokenCheck[tokenCount], the first of them kTokenStream
    uint64_t findings;       // TokenFinding[tokenCount * kFaults]
    uint64_t addresses;      // of the address of an AddressTable
    // uint[setStages * setSize]: kNoMember where an index leads to nothing. Behind it, if areCombined, a uint for each
    // sum that they have over the stages: kNoMember where those do not fit.
    uint64_t members;
    uint64_t places;           // as GatherArguments have them
    uint64_t sequenceIndices;  // likewise
    uint setStages;
    uint setSize;
    uint stride;
    uint maxSequenceCount;
    uint tokenCount;
    uint isSecond;
    uint indexTypes;  // 0: VkIndexType, 1: DXGI_FORMAT
    uint maxGrid[3];
    uint maxGridTotal;
    uint areCombined;
    uint placeCount;
    uint indexCount;
};

MR_ABI_END
#endif
