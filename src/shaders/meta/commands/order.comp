// SPDX-License-Identifier: Apache-2.0
// Generated draws that keep the order of sequences: writes a row of draws for each sequence, and for each sequence and
// pipeline how many of them it draws. Where nobody reads counts (a.drawCounts is 0), each sequence and pipeline has a row of
// its own, filled up with draws of nothing.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "meta/commands/sequences.glsl"

void writeCount(const uint number)
{
    uint sequence = number / a.pipelineCount;
    uint count = 0u;
    if (sequence < sequenceCount()) {
        uint64_t record = recordOf(sequence);
        if (pipelineOf(record) == number % a.pipelineCount)
            count = drawsOf(record);
    }
    Words(a.drawCounts).v[number] = count;
}

void writePadded(const uint number)
{
    uint row = number / a.maxDrawCount;
    uint draw_index = number % a.maxDrawCount;
    uint sequence = row / a.pipelineCount;
    if (sequence >= a.maxSequenceCount)
        return;
    bool draws = false;
    if (sequence < sequenceCount()) {
        uint64_t record = recordOf(sequence);
        draws = pipelineOf(record) == row % a.pipelineCount && draw_index < drawsOf(record);
    }
    if (draws)
        writeDraw(number, sequence, draw_index);
    else
        writeNothing(number);
}

void main()
{
    uint number = invocationNumber();
    if (a.drawCounts == uint64_t(0)) {
        writePadded(number);
        return;
    }
    if (number < a.maxSequenceCount * a.pipelineCount)
        writeCount(number);
    uint sequence = number / a.maxDrawCount;
    uint draw_index = number % a.maxDrawCount;
    if (sequence < sequenceCount() && draw_index < drawsOf(recordOf(sequence)))
        writeDraw(number, sequence, draw_index);
}
