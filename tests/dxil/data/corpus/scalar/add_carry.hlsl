// -T cs_6_6
uint compute(uint x, uint y)
{
    uint s = x + y;
    return s * 2 + (s < x ? 1u : 0u);
}
