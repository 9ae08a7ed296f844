// -T cs_6_6
uint compute(uint x, uint y)
{
    uint64_t a = ((uint64_t)x << 32) | y, b = (uint64_t)y * 0x123456789ULL + 1;
    uint64_t c = a * b ^ (a >> (y & 63)) ^ (b << (x & 63));
    int64_t d = (int64_t)c / (int64_t)((x & 15) + 1) - (int64_t)(c % b);
    return (uint)c ^ (uint)(c >> 32) ^ (uint)d ^ (uint)((uint64_t)d >> 32) ^ (d < 0 ? 77u : 5u);
}
