#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(set = 0, binding = 1) coherent buffer Numbers { uint numbers[]; };
shared uint row[64];
void main()
{
    uint id = gl_GlobalInvocationID.x, lane = gl_LocalInvocationIndex;
    row[lane] = id * 3;
    barrier();
    uint sum = row[63 - lane];
    numbers[id] = sum;
    memoryBarrierBuffer();
    barrier();
    sum += numbers[id ^ 1];
    barrier();
    row[lane] = sum;
    barrier();
    words[id] = row[(lane + 5) & 63];
}
