// -T cs_6_8
// Barrier() with kinds of memory, and with a resource.
RWByteAddressBuffer words : register(u0);
globallycoherent RWStructuredBuffer<uint> numbers : register(u1);
groupshared uint row[64];
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lane : SV_GroupIndex)
{
    row[lane] = id.x * 3;
    Barrier(GROUP_SHARED_MEMORY, GROUP_SYNC | GROUP_SCOPE);
    uint sum = row[63 - lane];
    numbers[id.x] = sum;
    Barrier(numbers, GROUP_SYNC | DEVICE_SCOPE);
    sum += numbers[id.x ^ 1];
    Barrier(ALL_MEMORY, GROUP_SYNC | GROUP_SCOPE);
    row[lane] = sum;
    Barrier(UAV_MEMORY | GROUP_SHARED_MEMORY, GROUP_SYNC | GROUP_SCOPE);
    words.Store(4 * id.x, row[(lane + 5) & 63]);
    Barrier(UAV_MEMORY, DEVICE_SCOPE);
}
