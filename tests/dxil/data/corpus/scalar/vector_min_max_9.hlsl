// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<int, 9> a, b;
    for (uint i = 0; i < 9; i++) { a[i] = (int)(x & 255) - (int)i * 20; b[i] = (int)(y & 255) - 100; }
    vector<int, 9> s = max(a, b) - min(a, b);
    uint r = 0;
    for (uint k = 0; k < 9; k++) r = r * 3 + (uint)s[k];
    return r;
}
