// -T cs_6_6
uint compute(uint x, uint y)
{
    bool a = (x & 1) != 0, b = y > 20, e = x < y;
    return (a && b ? 1u : 0u) | (a || e ? 2u : 0u) | (!b ? 4u : 0u) | (a != e ? 8u : 0u);
}
