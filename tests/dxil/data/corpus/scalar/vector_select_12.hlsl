// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 12> a, b;
    for (uint i = 0; i < 12; i++) { a[i] = x + i; b[i] = y ^ (i * 7); }
    vector<uint, 12> m = select(a < b, a * b, a + b);
    uint r = 0;
    for (uint k = 0; k < 12; k++) r = r * 9 + m[k];
    return r;
}
