// -T cs_6_6
uint compute(uint x, uint y)
{
    if (x % 3 == 0) return 11;
    if (x % 5 == 0) { if (y % 2 == 0) return 12; y += 4; }
    LOOP for (uint i = 0; i < 10; i++) { if (i * i > (y & 63)) return i; }
    return y;
}
