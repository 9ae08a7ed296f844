// -T cs_6_6
uint compute(uint x, uint y)
{
    float a[5];
    for (uint i = 0; i < 5; i++) a[i] = (float)(x & 255) + (float)i;
    a[y % 5] = 0.5f;
    LOOP for (uint j = 1; j < 5; j++) a[j] = a[j] + a[j - 1];
    return asuint(a[4]) ^ asuint(a[x % 5]);
}
