// -T cs_6_6
uint compute(uint x, uint y)
{
    uint i = 0, r = 0;
    LOOP for (;;) {
        i++;
        if (i > 50) { r += 1000; break; }
        if (source_at((x + i) & 63) % 11 == y % 11) { r += i; break; }
        r += 2;
    }
    return r;
}
