// -T cs_6_9
// Derivatives of native vectors, of which the shorter is split and the longer an array.
RWByteAddressBuffer words : register(u0);
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    vector<float, 6> some;
    vector<float, 20> many;
    for (uint e = 0; e < 20; e++) {
        many[e] = float(id.x * id.x + e * (id.x & 3) * 2);
        some[e % 6] = many[e] * 3 + e;
    }
    words.Store<vector<float, 6> >(104 * id.x, ddx_fine(some) + ddy_coarse(some) * 2);
    words.Store<vector<float, 20> >(104 * id.x + 24, ddy_fine(many) + ddx_coarse(many) * 2);
}
