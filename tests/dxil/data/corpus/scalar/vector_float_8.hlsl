// -T cs_6_9 -Gis
uint compute(uint x, uint y)
{
    vector<float, 8> a, b;
    for (uint i = 0; i < 8; i++) { a[i] = (float)((x + i) & 63) * 0.5f; b[i] = (float)((y >> i) & 15) + 1.0f; }
    vector<float, 8> c = a * b + a;
    vector<float, 8> d = c / b - b;
    vector<float, 8> e = floor(d) + abs(d) + max(a, b) + min(c, d);
    uint r = 0;
    for (uint j = 0; j < 8; j++) r = r * 31 + asuint(e[j]) + asuint(c[j]);
    return r;
}
