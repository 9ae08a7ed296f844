// -T cs_6_6 -enable-16bit-types
uint compute(uint x, uint y)
{
    uint16_t a = (uint16_t)x, b = (uint16_t)(y * 7);
    int16_t s = (int16_t)(x * 3), t = (int16_t)((y & 31) + 1);
    uint16_t c = (uint16_t)(a * b + (a >> (y & 15)));
    int16_t d = (int16_t)(s / t);
    return (uint)c + (uint)(int)d * 65537u + (s < t ? 3u : 1u);
}
