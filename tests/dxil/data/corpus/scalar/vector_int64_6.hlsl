// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint64_t, 6> a, b;
    for (uint i = 0; i < 6; i++) { a[i] = (uint64_t)(x + i) << (5 * i); b[i] = (uint64_t)y * (i + 1); }
    vector<uint64_t, 6> c = a * b + (a ^ b);
    uint r = 0;
    for (uint j = 0; j < 6; j++) r = r * 31 + (uint)c[j] + (uint)(c[j] >> 32);
    return r;
}
