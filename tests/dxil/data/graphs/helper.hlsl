// -T lib_6_8
StructuredBuffer<uint> factors : register(t0);
RWStructuredBuffer<uint> calls : register(u1);

export uint weigh(uint value, float3 scale)
{
    uint sum = 0;
    for (uint i = 0; i < value; i++) {
        if (factors[i] == 0) { break; }
        sum += factors[i];
    }
    InterlockedAdd(calls[0], 1);
    return uint(sum * scale.x * scale.y * scale.z);
}
