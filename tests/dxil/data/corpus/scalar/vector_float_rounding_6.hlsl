// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<float, 6> a;
    for (uint i = 0; i < 6; i++) a[i] = (float)((x & 255) + i) * 0.25f;
    vector<float, 6> s = floor(a) * 2.0f;
    return asuint(s[0]) ^ asuint(s[y % 6]) * 3u;
}
