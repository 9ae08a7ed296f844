// -T cs_6_6
uint compute(uint x, uint y)
{
    float a = (float)(x & 0xffff) * 0.25f, b = (float)(y & 1023) * -0.5f;
    return (uint)a * 7 + (uint)(int)b;
}
