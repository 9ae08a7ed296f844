// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0, j = y & 15;
    LOOP for (uint i = 0; i < (x & 15); i++, j += 3) { r = r * 3 + i * j; }
    return r;
}
