// SPDX-License-Identifier: Apache-2.0
// Generated draws of several pipelines that keep the order of sequences: writes a row of draws for each sequence, and for
// each sequence and pipeline how many of them it draws.
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

void main()
{
    uint number = invocationNumber();
    if (number < a.maxSequenceCount * a.pipelineCount)
        writeCount(number);
    uint sequence = number / a.maxDrawCount;
    uint draw_index = number % a.maxDrawCount;
    if (sequence < sequenceCount() && draw_index < drawsOf(recordOf(sequence)))
        writeDraw(number, sequence, draw_index);
}
