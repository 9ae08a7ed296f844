// -T cs_6_6
uint compute(uint x, uint y)
{
    return countbits(x) + reversebits(y) + (uint)firstbitlow(x | 64) * 3u + (uint)firstbithigh(y | 1) * 7u + (uint)firstbithigh((int)(x) - 40) * 11u;
}
