// -T cs_6_6
uint compute(uint x, uint y)
{
    uint64_t a[4];
    for (uint i = 0; i < 4; i++) a[i] = (uint64_t)x * (i + 1) << 8;
    a[y & 3] ^= 0x123456789abULL;
    uint64_t r = a[x & 3] + a[(x >> 2) & 3];
    return (uint)r ^ (uint)(r >> 32);
}
