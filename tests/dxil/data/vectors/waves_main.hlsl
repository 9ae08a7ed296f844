// Around the bodies that look at other lanes. T, N, LANES, TOGETHER and perhaps SHARED are defined.
typedef vector<T, N> VEC;
typedef vector<uint, N> UVEC;
ByteAddressBuffer source : register(t0);
RWByteAddressBuffer words : register(u0);
static uint slot;
#define ADDRESS (slot++ * N * 8)
#define PUT(v) words.Store<VEC >(ADDRESS, v)
#define PUTB(v) words.Store<UVEC >(ADDRESS, (UVEC)(v))
#define PUT4(v) words.Store4(ADDRESS, v)
#define CONST(v) ((T)(v))
#ifdef SHARED
groupshared VEC kept[TOGETHER];
#endif

[numthreads(LANES, 1, 1)]
void main(uint3 id : SV_GroupThreadID)
{
    const uint k = id.x;
    slot = k * SLOTS;
    VEC a = source.Load<VEC >(k * N * 8);
#ifdef SHARED
#if TOGETHER == LANES
    kept[k] = a;
    GroupMemoryBarrierWithGroupSync();
    a = kept[k];
#else
    // In turns, as many as there is memory for.
    for (uint turn = 0; turn < LANES / TOGETHER; turn++) {
        if (k / TOGETHER == turn) {
            kept[k % TOGETHER] = a;
        }
        GroupMemoryBarrierWithGroupSync();
        if (k / TOGETHER == turn) {
            a = kept[k % TOGETHER];
        }
        GroupMemoryBarrierWithGroupSync();
    }
#endif
#endif
    words.Store(ADDRESS, WaveGetLaneCount());
    const uint4 mask = WaveMatch((k & 1) != 0);
#line 1
BODY
}
