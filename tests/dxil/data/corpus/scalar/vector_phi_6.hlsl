// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 6> a;
    for (uint i = 0; i < 6; i++) a[i] = x * i;
    LOOP for (uint j = 0; j < (y & 7); j++) {
        BRANCH if ((j & 1) != 0) a = a + a; else a[j % 6] = y;
    }
    uint r = 0;
    for (uint k = 0; k < 6; k++) r = r * 3 + a[k];
    return r;
}
