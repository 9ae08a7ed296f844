// -T cs_6_6 -enable-16bit-types
uint compute(uint x, uint y)
{
    uint16_t a = (uint16_t)x, b = (uint16_t)y;
    uint16_t s = (uint16_t)(a + b), d = (uint16_t)(a - b), p = (uint16_t)((uint)a * (uint)b);
    return (uint)s | ((uint)d << 16) ^ (uint)p;
}
