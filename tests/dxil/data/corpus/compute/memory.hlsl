// -T cs_6_6 -enable-16bit-types
// Buffers of every kind, constants, groupshared memory, atomics.
struct Item { float3 a; uint b; uint16_t c; uint16_t d; uint64_t e; double f; };
cbuffer Constants : register(b0) { uint scale; float4 rows[2]; uint16_t lowHalf, highHalf; uint64_t wide; };
StructuredBuffer<Item> items : register(t0);
Buffer<uint> texels : register(t1);
RWByteAddressBuffer words : register(u0);
RWStructuredBuffer<Item> copies : register(u1);
RWBuffer<uint> typed : register(u2);
RWStructuredBuffer<uint2> appended : register(u3);
groupshared uint counts[4];
groupshared float floats[16];
groupshared uint64_t large;
[numthreads(16, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    if (i < 4) counts[i] = 0;
    if (i == 0) large = 0;
    floats[i] = items[i].a.y;
    GroupMemoryBarrierWithGroupSync();
    uint before;
    InterlockedAdd(counts[i & 3], i, before);
    InterlockedMax(large, (uint64_t)i << 33);
    InterlockedCompareStoreFloatBitwise(floats[i], floats[i], 2.5f);
    GroupMemoryBarrierWithGroupSync();
    Item item = items[i];
    item.b = item.b * scale + counts[i & 3];
    item.a = item.a + rows[1].xyz;
    item.c = (uint16_t)(item.c + highHalf);
    item.e += wide;
    item.f *= 2;
    copies[i] = item;
    typed[i] = texels[15 - i] + 1;
    InterlockedAdd(typed[16], i);
    uint slot = appended.IncrementCounter();
    appended[slot] = uint2(i, 1);
    words.Store(4 * i, (uint)(large >> 33) + (uint)floats[i]);
    uint count, stride;
    items.GetDimensions(count, stride);
    words.Store(64 + 4 * i, count * 1000 + stride);
}
