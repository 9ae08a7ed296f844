// -T cs_6_6
uint compute(uint x, uint y)
{
    float a = (float)(x & 0xffff) + 0.5f;
    uint u = asuint(a);
    return (u >> 23) ^ (u & 0x7fffff) ^ asuint(asfloat((y & 0x7fffff) | 0x3f800000u));
}
