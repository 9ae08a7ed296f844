// -T cs_6_0
uint compute(uint x, uint y)
{
    uint r = 0;
    for (uint i = 0; i < 4; i++) r += source_at((x + i) & 63) * (i + 1);
    return r ^ y;
}
