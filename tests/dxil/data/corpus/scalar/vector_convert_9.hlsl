// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 9> a;
    for (uint i = 0; i < 9; i++) a[i] = (x + i * y) & 4095;
    vector<float, 9> f = (vector<float, 9>)a;
    vector<int, 9> s = (vector<int, 9>)(f * 0.5f) - 7;
    uint r = 0;
    for (uint j = 0; j < 9; j++) r = r * 13 + (uint)s[j];
    return r;
}
