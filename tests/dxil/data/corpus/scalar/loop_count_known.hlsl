// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = x;
    LOOP for (uint i = 0; i < 10; i++) { r = r * 31 + source_at((r ^ y) & 127); }
    return r;
}
