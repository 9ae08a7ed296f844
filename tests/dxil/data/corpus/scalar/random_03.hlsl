// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    a ^= (((y << (a & 7)) - (y << (b & 7))) << ((x - source_at((b) & 63)) & 7));
    uint i0 = 0;
    LOOP while (i0 < 5) {
        i0++;
        uint i1 = 0;
        LOOP do {
            i1++;
            if (((a) & 15) < 3 || ((((2u | b) >> ((a | b) & 7))) & 7) < 0) { a += x; break; }
        } while (i1 < 5 && (((x) & 7) > 3));
        if ((((source_at((a) & 63) + (x + y))) & 15) < 4 || ((a) & 7) != 3 || ((((a & a) - source_at((a) & 63))) & 7) == 3) { a += (b * source_at((b) & 63)); break; }
    }
    b = (((y & 21u) & source_at((20u) & 63)) + source_at(((a + y)) & 63));
    b = a;
    return a * 31 + b;
}
