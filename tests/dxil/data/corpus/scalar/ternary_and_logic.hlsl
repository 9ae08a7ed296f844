// -T cs_6_6
uint compute(uint x, uint y)
{
    bool a = (x & 1) != 0, b = (y & 2) != 0, c = x > y;
    bool d = (a && !b) || (c != a);
    uint r = d ? (b ? 1u : 2u) : (c ? 3u : 4u);
    return r + (uint)(a == b) * 8u + (uint)d * 16u;
}
