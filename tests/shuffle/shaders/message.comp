#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// As publish.comp, by address. Who reads looks at the data in front of the flag as well, as at something beside it. Wrong
// without the memory barrier of who reads (RELAXED).
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uvec2 address; };

const uint kRounds = 20000u;

void main()
{
    Words data = Words(address);
    uint half_of_all = gl_NumWorkGroups.x / 2u;
    uint pair = 256u + gl_WorkGroupID.x % half_of_all * 128u;
    for (uint round = 1u; round <= kRounds; ++round) {
        if (gl_WorkGroupID.x < half_of_all) {
            data.words[pair] = round;
            memoryBarrierBuffer();
            atomicExchange(data.words[pair + 64u], round);
        } else {
            uint seen = atomicOr(data.words[pair + 64u], 0u);
#if !defined(RELAXED)
            memoryBarrierBuffer();
#endif
            if (data.words[pair] < seen)
                atomicAdd(v[0], 1u);
        }
    }
}
