// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 8> a, b;
    for (uint i = 0; i < 8; i++) { a[i] = source_at((x + i) & 63); b[i] = (y + i * 3) & 1023; }
    vector<uint, 8> c = a * b + (a ^ b) - (b >> 1) + (a << 3);
    vector<uint, 8> d = max(c, a) - min(c, b);
    uint r = 0;
    for (uint j = 0; j < 8; j++) r = r * 31 + d[j];
    return r;
}
