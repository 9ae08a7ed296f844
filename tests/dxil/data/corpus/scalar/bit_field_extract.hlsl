// -T cs_6_6
uint compute(uint x, uint y)
{
    uint at = y & 15, n = ((y >> 4) & 15) + 1;
    return (x >> at) & ((1u << n) - 1);
}
