// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a[8];
    for (uint i = 0; i < 8; i++) a[i] = source_at((x + i * 5) & 127) & 255;
    LOOP for (uint j = 1; j < 8; j++) {
        uint v = a[j], k = j;
        LOOP while (k > 0 && a[k - 1] > v) { a[k] = a[k - 1]; k--; }
        a[k] = v;
    }
    return a[0] + a[3] * 256 + a[y & 7] * 65536;
}
