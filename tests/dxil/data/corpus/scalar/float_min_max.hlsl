// -T cs_6_6
uint compute(uint x, uint y)
{
    float a = (float)(x & 255) - 100.0f, b = (float)(y & 255) - 50.0f;
    return asuint(min(a, b)) ^ asuint(max(a, b)) * 3u ^ asuint(saturate(a * 0.125f));
}
