// SPDX-License-Identifier: Apache-2.0
// Generated draws, fourth kernel behind those of dispatches: an invocation for each draw of a pipeline finds its
// sequence and writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "meta/commands/sequences.glsl"

void main()
{
    SequenceTable table = Tables(a.tables).v[a.pipeline];
    uint number = invocationNumber();
    if (number >= table.groupCount)
        return;
    Entries entries = Entries(table.entries);
    uint low = 0u;
    for (uint high = table.sequenceCount; high - low > 1u;) {
        uint middle = low + (high - low) / 2u;
        if (entries.v[middle].firstGroup <= number)
            low = middle;
        else
            high = middle;
    }
    SequenceEntry entry = entries.v[low];
    uint row = a.pipeline * a.maxSequenceCount * a.maxDrawCount;
    writeDraw(row + number, entry.sequence, number - entry.firstGroup);
}
