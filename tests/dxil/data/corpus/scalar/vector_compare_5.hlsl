// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 5> a, b;
    for (uint i = 0; i < 5; i++) { a[i] = (x >> i) & 3; b[i] = (y >> (i + 1)) & 3; }
    vector<bool, 5> less = a < b;
    vector<uint, 5> c = select(less, a, b * 7u);
    uint r = any(less) ? 1000u : 0u;
    r += all(a == b) ? 2000u : 0u;
    for (uint j = 0; j < 5; j++) r = r * 3 + c[j];
    return r;
}
