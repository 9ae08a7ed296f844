// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 5> a, n;
    for (uint i = 0; i < 5; i++) { a[i] = x ^ (i * 1111); n[i] = (y + i) & 31; }
    vector<uint, 5> s = (a << n) ^ (a >> n);
    return s[0] + s[1] * 3 + s[2] * 5 + s[3] * 7 + s[4] * 11;
}
