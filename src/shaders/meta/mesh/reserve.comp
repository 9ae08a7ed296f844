// SPDX-License-Identifier: Apache-2.0
// Gives the workgroups of a dispatch of task or mesh shaders memory to write to, and says what is drawn. Where there is
// too little of it, nothing runs and nothing is drawn.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 1) in;
layout(push_constant, scalar) uniform Arguments { ReserveArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Work { MeshWork v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Dispatch { DispatchCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Draw { MeshDrawCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer State { MeshArenaState v; };

void main()
{
    State state = State(a.state);
    if (a.isFirst != 0u)
        state.v.next = uint64_t(0);
    uint groups = Work(a.work).v.table.groupCount;
    uint64_t bytes = uint64_t(groups) * uint64_t(a.resultBytes);
    uint64_t begin = state.v.next;
    bool fits = groups <= a.maxGroups && begin + bytes <= a.arenaBytes;
    if (fits) {
        state.v.next = begin + bytes;
    } else {
        state.v.lost += 1u;
        groups = 0u;
        Work(a.work).v.table.groupCount = 0u;
        Dispatch(a.dispatch).v = DispatchCommand(0u, 0u, 0u, 0u);
    }
    Work(a.work).v.results = a.arena + begin;
    if (a.draw != uint64_t(0))
        Draw(a.draw).v = MeshDrawCommand(groups * a.vertices, 1u, 0u, 0u);
}
