// -T cs_6_6
uint compute(uint x, uint y)
{
    uint64_t a = ((uint64_t)x << 32) | y;
    uint n = x & 63;
    uint64_t b = (a << n) ^ (a >> ((y & 31) + 1));
    return (uint)b ^ (uint)(b >> 32);
}
