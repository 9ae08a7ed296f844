#version 460
// The first half of the workgroups write data and say so by an atomic; the others look at that and read the data. v[0]
// counts data that was not there. Wrong without the memory barriers (RELAXED). Drivers that give each thread workgroups in
// a row run a pair at the same time.
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint v[]; };
layout(binding = 1) coherent buffer Data { uint data[]; };
layout(binding = 2) coherent buffer Flags { uint flags[]; };

const uint kRounds = 100000u;

void main()
{
    uint half_of_all = gl_NumWorkGroups.x / 2u;
    uint pair = gl_WorkGroupID.x % half_of_all * 64u;
    for (uint round = 1u; round <= kRounds; ++round) {
        if (gl_WorkGroupID.x < half_of_all) {
            data[pair] = round;
#if !defined(RELAXED)
            memoryBarrierBuffer();
#endif
            atomicExchange(flags[pair], round);
        } else {
            uint seen = atomicOr(flags[pair], 0u);
#if !defined(RELAXED)
            memoryBarrierBuffer();
#endif
            if (data[pair] < seen)
                atomicAdd(v[0], 1u);
        }
    }
}
