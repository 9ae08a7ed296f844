#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint64_t words[]; };
layout(set = 0, binding = 0) buffer Halves { uint halves[]; };
layout(set = 0, binding = 1) buffer Numbers { uint64_t numbers[]; };
shared uint64_t total;
shared int64_t least;
void main()
{
    uint id = gl_GlobalInvocationID.x, lane = gl_LocalInvocationIndex;
    if (lane == 0) { total = 1ul << 40; least = 5; }
    barrier();
    uint64_t value = uint64_t(id) << 31;
    atomicAdd(words[0], value);
    atomicMax(words[1], value | 7);
    atomicOr(words[2], 1ul << (id & 63));
    atomicAdd(numbers[0], value);
    atomicMin(numbers[1], value + 3);
    atomicCompSwap(numbers[8 + id], numbers[8 + id] + (id & 1), value);
    uint64_t before = atomicExchange(numbers[200 + id], value);
    atomicAdd(total, value);
    atomicMin(least, -int64_t(value));
    barrier();
    uint group = id >> 6;
    if (lane == 0) { numbers[400 + group] = total; numbers[402 + group] = uint64_t(least); }
    halves[16 + 2 * id] = uint(before >> 32);
    halves[17 + 2 * id] = uint(before);
}
