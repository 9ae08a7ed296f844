// -T cs_6_6
struct Mixed { float a; int2 b; double c; };
ByteAddressBuffer source : register(t0);
RWByteAddressBuffer words : register(u0);
[numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    Mixed m;
    m.a = (float)source.Load<int>(4 * id.x);
    m.b = source.Load<int2>(8 * id.x) - 7;
    m.c = (double)source.Load<uint>(4 * id.x + 64) * 0.5;
    words.Store<Mixed>(24 * id.x, m);
}
