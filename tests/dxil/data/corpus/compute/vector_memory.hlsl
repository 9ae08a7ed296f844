// -T cs_6_9
// Long vectors through buffers, groupshared memory and static arrays.
ByteAddressBuffer source : register(t0);
StructuredBuffer<vector<uint, 6> > list : register(t1);
RWByteAddressBuffer words : register(u0);
RWStructuredBuffer<vector<float, 5> > floats : register(u1);
groupshared vector<uint, 7> tile[16];
static vector<uint, 9> kept[2];
[numthreads(16, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    tile[i] = source.Load<vector<uint, 7> >(28 * i) + i;
    kept[i & 1] = source.Load<vector<uint, 9> >(4 * i);
    kept[1 - (i & 1)] = 5;
    GroupMemoryBarrierWithGroupSync();
    vector<uint, 7> other = tile[15 - i];
    other[i % 7] += 100;
    words.Store<vector<uint, 7> >(28 * i, other);
    vector<uint, 6> six = list[i];
    uint sum = 0;
    for (uint e = 0; e < 6; e++) sum += six[e];
    words.Store(4096 + 4 * i, sum + kept[0][3] + kept[1][i % 9]);
    floats[i] = (vector<float, 5>)source.Load<vector<uint, 5> >(20 * i) * 0.5f;
}
