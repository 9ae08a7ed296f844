// SPDX-License-Identifier: Apache-2.0
// Gives the workgroups of a dispatch of task or mesh shaders memory for what each of them leaves. Where there is too
// little of it, nothing runs.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "abi/mesh.h"

layout(local_size_x = 1) in;
layout(push_constant, scalar) uniform Arguments { ReserveArguments a; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Work { MeshWork v; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Dispatch { DispatchCommand v; };
layout(buffer_reference, scalar, buffer_reference_align = 64) buffer Memory { MeshOutputMemory v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Report { MeshMemoryReport v; };

// Mesh shaders of other draws may run meanwhile.
bool reserve(const uint units)
{
    Memory memory = Memory(a.memory);
    uint before = atomicAdd(memory.v.reserved, units);
    bool fits = before <= memory.v.units && units <= memory.v.units - before;
    if (!fits)
        atomicAdd(memory.v.reserved, -units);
    return fits;
}

void main()
{
    uint groups = Work(a.work).v.table.groupCount;
    Memory memory = Memory(a.memory);
    uint64_t bytes = uint64_t(groups) * uint64_t(a.resultBytes);
    uint64_t most = uint64_t(memory.v.units) * uint64_t(kMeshUnitBytes);
    uint units = uint((min(bytes, most) + uint64_t(kMeshUnitBytes - 1u)) / uint64_t(kMeshUnitBytes));
    uint first = 0u;
    if (groups <= a.maxGroups && bytes <= most && reserve(units)) {
        first = atomicAdd(memory.v.used, units);
    } else {
        memory.v.unfit += 1u;
        if (memory.v.report != uint64_t(0))
            Report(memory.v.report).v.unfit = memory.v.unfit;
        Work(a.work).v.table.groupCount = 0u;
        Dispatch(a.dispatch).v = DispatchCommand(0u, 0u, 0u, 0u);
    }
    Work(a.work).v.results = memory.v.begin + uint64_t(first) * uint64_t(kMeshUnitBytes);
    Work(a.work).v.memory = a.memory;
}
