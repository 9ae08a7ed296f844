// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 8> a, b;
    for (uint i = 0; i < 8; i++) { a[i] = (x >> i) & 3; b[i] = (y >> (i + 1)) & 3; }
    vector<bool, 8> less = a < b;
    vector<uint, 8> c = select(less, a, b * 7u);
    uint r = any(less) ? 1000u : 0u;
    r += all(a == b) ? 2000u : 0u;
    for (uint j = 0; j < 8; j++) r = r * 3 + c[j];
    return r;
}
