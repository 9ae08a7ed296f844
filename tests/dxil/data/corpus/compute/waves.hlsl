// -T cs_6_6
// Every wave operation; the test knows the size of waves from the lane count.
ByteAddressBuffer source : register(t0);
RWByteAddressBuffer words : register(u0);
[numthreads(64, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    uint v = source.Load(4 * i);
    uint at = 128 * i;
    words.Store(at + 0, WaveGetLaneCount());
    words.Store(at + 4, WaveGetLaneIndex());
    words.Store(at + 8, WaveActiveSum(v));
    words.Store(at + 12, WaveActiveMax(v));
    words.Store(at + 16, (uint)WaveActiveMin((int)v - 100));
    words.Store(at + 20, WaveActiveBitOr(v));
    words.Store(at + 24, WavePrefixSum(v));
    words.Store(at + 28, WavePrefixProduct(v | 1));
    words.Store(at + 32, WaveActiveCountBits(v > 50));
    words.Store(at + 36, WavePrefixCountBits(v > 50));
    words.Store(at + 40, WaveActiveBallot(v > 50).x);
    words.Store(at + 44, WaveActiveAnyTrue(v > 90) ? 1 : 0);
    words.Store(at + 48, WaveActiveAllTrue(v < 90) ? 1 : 0);
    words.Store(at + 52, WaveReadLaneAt(v, (WaveGetLaneIndex() * 3) % WaveGetLaneCount()));
    words.Store(at + 56, WaveReadLaneFirst(v));
    words.Store(at + 60, WaveIsFirstLane() ? 1 : 0);
    words.Store(at + 64, QuadReadAcrossX(v));
    words.Store(at + 68, QuadReadAcrossY(v));
    words.Store(at + 72, QuadReadAcrossDiagonal(v));
    words.Store(at + 76, QuadReadLaneAt(v, 2));
    uint4 match = WaveMatch(v & 3);
    words.Store(at + 80, match.x);
    words.Store(at + 84, WaveMultiPrefixSum(v, match));
    words.Store(at + 88, WaveMultiPrefixBitXor(v, match));
    words.Store(at + 92, WaveMultiPrefixCountBits(v > 50, match));
    words.Store(at + 96, WaveActiveAllEqual(v / 1000) ? 1 : 0);
    uint odd = 0;
    if ((v & 1) != 0) odd = WaveActiveSum(v);
    words.Store(at + 100, odd);
}
