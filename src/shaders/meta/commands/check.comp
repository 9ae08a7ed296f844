// SPDX-License-Identifier: Apache-2.0
// Generated commands, setting "validate": an invocation for each sequence looks at what its tokens say, and notes what no
// driver need bear.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/commands.h"
#include "abi/token_checks.h"

layout(local_size_x = 128) in;
layout(push_constant, scalar) uniform Arguments { CheckArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Address { uint64_t v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Tokens { TokenCheck v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Findings { TokenFinding v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Table { AddressTable head; AddressRange v[]; };

#include "meta/commands/pipeline_places.glsl"

const uint kHalf = 2u;

void note(const uint token, const uint fault, const uint sequence, const uvec4 words)
{
    Findings findings = Findings(a.findings);
    uint number = token * kFaults + fault;
    if (a.isSecond == 0u) {
        atomicAdd(findings.v[number].count, 1u);
        atomicMin(findings.v[number].sequence, sequence);
    } else if (findings.v[number].sequence == sequence && findings.v[number].isWritten == 0u) {
        for (uint i = 0u; i < 4u; ++i)
            findings.v[number].words[i] = words[i];
        findings.v[number].written = sequence;
        findings.v[number].isWritten = 1u;
    }
}

// The table may change meanwhile: then the answer may be wrong, but nothing outside of it is read.
bool isInBuffer(const uint usage, const uint64_t address, const uint64_t bytes)
{
    Table table = Table(Address(a.addresses).v);
    uint first = table.head.first[usage];
    uint low = first;
    for (uint high = table.head.first[usage + 1u]; low < high;) {
        uint middle = low + (high - low) / 2u;
        if (table.v[middle].begin <= address)
            low = middle + 1u;
        else
            high = middle;
    }
    if (low == first)
        return false;
    uint64_t end = table.v[low - 1u].end;
    return address < end && bytes <= end - address;
}

// False if nothing should be read there.
bool checkAddress(const uint token, const TokenCheck check, const uint sequence, const uvec2 place, const uint64_t bytes,
                  const uint alignment)
{
    if (alignment > 1u && place.x % alignment != 0u)
        note(token, kFaultAlignment, sequence, uvec4(place, alignment, 0u));
    uint64_t address = uint64_t(place.x) | (uint64_t(place.y) << 32);
    if (isInBuffer(check.usage, address, bytes))
        return alignment <= 1u || place.x % alignment == 0u;
    note(token, kFaultAddress, sequence, uvec4(place, uint(bytes), uint(bytes >> 32)));
    return false;
}

void checkSet(const uint token, const uint sequence, Words indices)
{
    uint combination = 0u;
    for (uint stage = 0u; stage < a.setStages; ++stage) {
        uint index = indices.v[stage];
        uint part = index < a.setSize ? Words(a.members).v[stage * a.setSize + index] : kNoMember;
        if (part == kNoMember) {
            note(token, kFaultMember, sequence, uvec4(index, stage, 0u, 0u));
            return;
        }
        combination += part;
    }
    if (a.areCombined != 0u && Words(a.members).v[a.setStages * a.setSize + combination] == kNoMember)
        note(token, kFaultMember, sequence, uvec4(indices.v[0], 0u, 1u, 0u));
}

void checkPipeline(const uint token, const uint sequence, Words command)
{
    uvec2 place = uvec2(command.v[0], command.v[1]);
    uint64_t address = uint64_t(place.x) | (uint64_t(place.y) << 32);
    uint number = numberOf(Places(a.places), a.placeCount, address);
    if (number == kNoMember)
        note(token, kFaultMember, sequence, uvec4(place, kPipelineUnknown, 0u));
    else if (!isInBuffer(kAddressIndirect, address, uint64_t(4u)))
        note(token, kFaultMember, sequence, uvec4(place, kPipelineUnplaced, 0u));
    else if (Words(address).v[0] != (kPipelineMark | number))
        note(token, kFaultMember, sequence, uvec4(place, kPipelineUnmarked, 0u));
}

void checkVertexBuffer(const uint token, const TokenCheck check, const uint sequence, Words command)
{
    uint size = command.v[2];
    uint stride = command.v[3];
    if (size == 0u)
        return;
    checkAddress(token, check, sequence, uvec2(command.v[0], command.v[1]), uint64_t(size), check.alignment);
    // `most` is 0 where pipelines say the stride.
    if (check.most != 0u && (stride > check.most || stride % check.alignment != 0u))
        note(token, kFaultStride, sequence, uvec4(stride, check.most, check.alignment, 0u));
}

// 0 for what is no type.
uint indexBytes(const uint type)
{
    if (a.indexTypes == 0u)
        return type == 0u ? kHalf : type == 1u ? 4u : type == 1000265000u ? 1u : 0u;
    return type == 57u ? kHalf : type == 42u ? 4u : type == 62u ? 1u : 0u;
}

void checkIndexBuffer(const uint token, const TokenCheck check, const uint sequence, Words command)
{
    uint size = command.v[2];
    uint type = command.v[3];
    if (size == 0u)
        return;
    if (indexBytes(type) == 0u)
        note(token, kFaultType, sequence, uvec4(type, a.indexTypes, 0u, 0u));
    checkAddress(token, check, sequence, uvec2(command.v[0], command.v[1]), uint64_t(size), indexBytes(type));
}

void checkGrid(const uint token, const uint sequence, Words command, const uint draw_index)
{
    bool isTooLarge = false;
    uint high = 0u;
    uint total = 1u;
    for (uint i = 0u; i < 3u; ++i) {
        isTooLarge = isTooLarge || command.v[i] > a.maxGrid[i];
        uint more;
        umulExtended(total, command.v[i], more, total);
        high |= more;
    }
    bool isEmpty = command.v[0] == 0u || command.v[1] == 0u || command.v[2] == 0u;
    if (isTooLarge || (!isEmpty && (high != 0u || total > a.maxGridTotal)))
        note(token, kFaultGrid, sequence, uvec4(command.v[0], command.v[1], command.v[2], draw_index));
}

void checkDrawCount(const uint token, const TokenCheck check, const uint sequence, Words command)
{
    uint stride = command.v[2];
    uint count = command.v[3];
    if (count > check.most)
        note(token, kFaultCount, sequence, uvec4(count, check.most, 0u, 0u));
    count = min(count, check.most);
    if (count == 0u)
        return;
    if (stride % check.alignment != 0u)
        note(token, kFaultStride, sequence, uvec4(stride, 0u, check.alignment, 0u));
    uint64_t bytes = uint64_t(count - 1u) * uint64_t(stride) + uint64_t(check.commandBytes);
    uvec2 place = uvec2(command.v[0], command.v[1]);
    bool isReadable = checkAddress(token, check, sequence, place, bytes, check.alignment);
    if (!isReadable || check.grids == 0u || stride % check.alignment != 0u)
        return;
    uint64_t address = uint64_t(place.x) | (uint64_t(place.y) << 32);
    for (uint i = 0u; i < count; ++i)
        checkGrid(token, sequence, Words(address + uint64_t(i) * uint64_t(stride)), i);
}

void checkToken(const uint token, const uint sequence)
{
    TokenCheck check = Tokens(a.tokens).v[token];
    uint64_t place = uint64_t(sequence) * uint64_t(a.stride) + uint64_t(check.place);
    if (place + uint64_t(check.bytes) > a.streamBytes) {
        note(token, kFaultPlace, sequence, uvec4(0u));
        return;
    }
    Words command = Words(a.stream + place);
    if (check.kind == kTokenSet)
        checkSet(token, sequence, command);
    else if (check.kind == kTokenPipeline)
        checkPipeline(token, sequence, command);
    else if (check.kind == kTokenVertexBuffer)
        checkVertexBuffer(token, check, sequence, command);
    else if (check.kind == kTokenIndexBuffer)
        checkIndexBuffer(token, check, sequence, command);
    else if (check.kind == kTokenDrawCount)
        checkDrawCount(token, check, sequence, command);
    else if (check.kind == kTokenGrid)
        checkGrid(token, sequence, command, 0u);
}

// Where records are gathered: whether there was something to gather.
bool isThere(const uint sequence)
{
    uint number = sequence;
    if (a.sequenceIndices != uint64_t(0)) {
        if (sequence >= a.indexCount) {
            note(0u, kFaultPlace, sequence, uvec4(0u));
            return false;
        }
        number = Words(a.sequenceIndices).v[sequence];
    }
    bool isAll = true;
    for (uint token = 1u; token < a.tokenCount; ++token)
        if (number >= Tokens(a.tokens).v[token].numbers) {
            note(token, kFaultPlace, sequence, uvec4(number, 0u, 0u, 0u));
            isAll = false;
        }
    return isAll;
}

void main()
{
    uint sequence = gl_GlobalInvocationID.x;
    uint count = a.maxSequenceCount;
    if (a.sequenceCount != uint64_t(0)) {
        uint said = Words(a.sequenceCount).v[0];
        if (said > a.maxSequenceCount && sequence == 0u)
            note(0u, kFaultCount, 0u, uvec4(said, a.maxSequenceCount, 0u, 0u));
        count = min(count, said);
    }
    if (sequence >= count || !isThere(sequence))
        return;
    for (uint token = 1u; token < a.tokenCount; ++token)
        checkToken(token, sequence);
}
