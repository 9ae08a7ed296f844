// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = x;
    LOOP for (uint i = 0; i < (y & 3); i++) { r += source_at(i) + 1; }
    return r;
}
