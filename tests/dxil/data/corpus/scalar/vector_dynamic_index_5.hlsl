// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 5> a;
    for (uint i = 0; i < 5; i++) a[i] = x + i * y;
    LOOP for (uint j = 0; j < (x & 31); j++) { a[(y + j) % 5] += a[j % 5] ^ j; }
    uint r = 0;
    for (uint k = 0; k < 5; k++) r = r * 17 + a[k];
    return r + a[y % 5];
}
