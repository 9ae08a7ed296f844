// -T cs_6_6
AppendStructuredBuffer<uint> given : register(u2);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if ((id.x & 3) == 0) { given.Append(4); }
    if ((id.x & 3) == 1) { given.Append(4); }
}
