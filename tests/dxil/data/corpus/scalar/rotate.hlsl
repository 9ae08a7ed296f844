// -T cs_6_6
uint compute(uint x, uint y)
{
    uint n = y & 31;
    return n == 0 ? x : (x << n) | (x >> (32 - n));
}
