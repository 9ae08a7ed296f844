// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 7> a[3];
    for (uint i = 0; i < 3; i++) for (uint j = 0; j < 7; j++) a[i][j] = x * i + j;
    a[y % 3][x % 7] = 555;
    vector<uint, 7> s = a[0] + a[1] * a[2];
    uint r = 0;
    for (uint k = 0; k < 7; k++) r = r * 5 + s[k];
    return r;
}
