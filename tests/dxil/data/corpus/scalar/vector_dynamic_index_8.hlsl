// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 8> a;
    for (uint i = 0; i < 8; i++) a[i] = x + i * y;
    LOOP for (uint j = 0; j < (x & 31); j++) { a[(y + j) % 8] += a[j % 8] ^ j; }
    uint r = 0;
    for (uint k = 0; k < 8; k++) r = r * 17 + a[k];
    return r + a[y % 8];
}
