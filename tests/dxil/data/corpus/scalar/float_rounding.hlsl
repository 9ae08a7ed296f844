// -T cs_6_6
uint compute(uint x, uint y)
{
    float a = (float)(int)(x & 1023) * 0.25f - 100.0f;
    return (uint)(int)floor(a) ^ (uint)(int)ceil(a) * 3 ^ (uint)(int)trunc(a) * 5 + y;
}
