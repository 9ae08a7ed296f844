// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 6> a, b;
    for (uint i = 0; i < 6; i++) { a[i] = x + i; b[i] = y ^ (i * 7); }
    vector<uint, 6> m = select(a < b, a * b, a + b);
    uint r = 0;
    for (uint k = 0; k < 6; k++) r = r * 9 + m[k];
    return r;
}
