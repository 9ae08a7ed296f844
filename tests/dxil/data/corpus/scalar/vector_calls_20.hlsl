// -T cs_6_9
// Long vectors as arguments and results of functions that stay functions.
NOINLINE vector<uint, 20> turned(vector<uint, 20> v, uint by)
{
    vector<uint, 20> out_;
    LOOP for (uint i = 0; i < 20; i++) out_[i] = v[(i + by) % 20];
    return out_;
}
NOINLINE vector<uint, 20> chosen(vector<uint, 20> a, vector<uint, 20> b, uint which)
{
    BRANCH if ((which & 1) != 0) return a - b;
    return turned(a, which) * b;
}
uint compute(uint x, uint y)
{
    vector<uint, 20> a, b, c;
    for (uint i = 0; i < 20; i++) { a[i] = x + i * i; b[i] = y ^ i; c[i] = i * 11 + 3; }
    a = chosen(a, c, x);
    b = chosen(chosen(b, a, y), turned(c, y & 15), y >> 1);
    uint r = 0;
    for (uint k = 0; k < 20; k++) r = r * 5 + (a[k] ^ b[k]);
    return r;
}
