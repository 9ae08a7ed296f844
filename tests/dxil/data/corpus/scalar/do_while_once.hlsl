// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = y;
    LOOP do { r = r * 3 + 1; } while (r < (x & 255));
    return r;
}
