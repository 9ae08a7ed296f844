// -T cs_6_9
// Wave operations, reductions and dot products of long vectors.
ByteAddressBuffer source : register(t0);
RWByteAddressBuffer words : register(u0);
[numthreads(32, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    vector<uint, 5> v = source.Load<vector<uint, 5> >(20 * i);
    vector<uint, 5> first = WaveReadLaneFirst(v);
    vector<uint, 5> next = WaveReadLaneAt(v, (WaveGetLaneIndex() + 1) % 4);
    vector<uint, 5> bits = WaveActiveBitXor(v & 15);
    vector<bool, 5> same = WaveActiveAllEqual(v & 0);
    vector<float, 5> f = (vector<float, 5>)(v & 255);
    words.Store<vector<uint, 5> >(80 * i, first);
    words.Store<vector<uint, 5> >(80 * i + 20, next);
    words.Store<vector<uint, 5> >(80 * i + 40, bits);
    words.Store(80 * i + 60, (uint)dot(f, f));
    words.Store(80 * i + 64, all(same) ? 1 : 0);
    words.Store(80 * i + 68, WaveGetLaneIndex());
    words.Store(80 * i + 72, countbits(v)[4]);
    words.Store(80 * i + 76, any(v == 7) ? 1 : 0);
}
