// Around each body: the types, the operands, and what becomes of the results. T, N and perhaps SHARED are defined.
typedef vector<T, N> VEC;
typedef vector<bool, N> BVEC;
typedef vector<int, N> IVEC;
typedef vector<uint, N> UVEC;
ByteAddressBuffer source : register(t0);
RWByteAddressBuffer words : register(u0);
static uint slot;
#define ADDRESS (slot++ * N * 8)
#define PUT(v) words.Store<VEC >(ADDRESS, v)
#define PUTI(v) words.Store<IVEC >(ADDRESS, v)
#define PUTU(v) words.Store<UVEC >(ADDRESS, v)
#define PUTB(v) words.Store<UVEC >(ADDRESS, (UVEC)(v))
#define PUTS(v) words.Store<T >(ADDRESS, v)
#define PUT1(v) words.Store(ADDRESS, (uint)(v))
#define TO_VEC(v) ((VEC)(v))
#define TO_INT(v) ((IVEC)(v))
#define TO_UINT(v) ((UVEC)(v))
#define CONST(v) ((T)(v))
#define AND(x, y) and(x, y)

#ifdef SHARED
#define PLACE groupshared
#else
#define PLACE static
#endif
PLACE VEC kept_a;
PLACE VEC kept_b;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_GroupID)
{
    const uint k = id.x;
    slot = k * SLOTS;
    kept_a = source.Load<VEC >((3 * k) * N * 8);
    kept_b = source.Load<VEC >((3 * k + 1) * N * 8);
    const VEC c = source.Load<VEC >((3 * k + 2) * N * 8);
    // An element is changed where it lies.
    kept_a[k % N] = kept_b[(k + 1) % N];
    const VEC a = kept_a;
    const VEC b = kept_b;
#line 1
BODY
}
