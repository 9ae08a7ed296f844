// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a[8];
    for (uint i = 0; i < 8; i++) a[i] = i * x;
    a[y & 7] += 100;
    LOOP for (uint j = 0; j < (x & 7); j++) a[j] = a[(j + y) & 7] ^ j;
    return a[x & 7] + a[(y >> 3) & 7] * 3;
}
