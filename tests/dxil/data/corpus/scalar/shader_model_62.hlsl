// -T cs_6_2
uint compute(uint x, uint y)
{
    uint r = source_at(x & 63);
    LOOP for (uint i = 0; i < (r & 7); i++) r = r * 3 + source_at((y + i) & 63);
    return r;
}
