// -T cs_6_6 -enable-16bit-types
uint compute(uint x, uint y)
{
    int16_t a = (int16_t)x, b = (int16_t)y;
    return (a < b ? 1u : 0u) + (uint)(int)(int16_t)(a >> 3) * 3u;
}
