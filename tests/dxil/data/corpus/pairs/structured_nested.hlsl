// -T cs_6_6
struct Inner { float2 p; uint tags[3]; };
struct Outer { uint key; Inner inner[2]; };
StructuredBuffer<Outer> source : register(t0);
RWStructuredBuffer<Outer> words : register(u0);
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    Outer o = source[id.x];
    o.key += o.inner[1].tags[id.x % 3];
    o.inner[id.x & 1].tags[2] = 5;
    words[31 - id.x] = o;
}
