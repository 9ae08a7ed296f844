// -T cs_6_6
// Atomic operations on numbers of 64 bits in every kind of memory.
RWByteAddressBuffer words : register(u0);
RWStructuredBuffer<uint64_t> numbers : register(u1);
groupshared uint64_t shared_;
groupshared int64_t least;
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    if (lane == 0) { shared_ = 1ull << 40; least = 5; }
    GroupMemoryBarrierWithGroupSync();
    uint64_t value = (uint64_t)id.x << 31, before;
    words.InterlockedAdd64(0, value);
    words.InterlockedMax64(8, value | 7);
    words.InterlockedOr64(16, 1ull << (id.x & 63));
    InterlockedAdd(numbers[0], value);
    InterlockedMin(numbers[1], value + 3);
    uint64_t own = numbers[8 + id.x];
    InterlockedCompareExchange(numbers[8 + id.x], own + (id.x & 1), value, before);
    InterlockedExchange(numbers[200 + id.x], value, before);
    InterlockedAdd(shared_, value);
    InterlockedMin(least, -(int64_t)value);
    GroupMemoryBarrierWithGroupSync();
    uint group = id.x >> 6;
    if (lane == 0) { numbers[400 + group] = shared_; numbers[402 + group] = (uint64_t)least; }
    words.Store2(64 + 8 * id.x, uint2((uint)(before >> 32), (uint)before));
}
