// -T cs_6_6
uint compute(uint x, uint y)
{
    uint64_t a = ((uint64_t)(x & y) << 31) ^ x;
    return countbits(a) * 3u + reversebits(a) + (uint)firstbitlow(a | 0x8000000000ULL) * 5u + (uint)firstbithigh(a | 1) * 9u;
}
