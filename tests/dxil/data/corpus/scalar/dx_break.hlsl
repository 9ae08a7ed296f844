// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    LOOP while (true) {
        r += 3;
        if (r > (x & 127)) { r ^= y; if ((r & 8) != 0) { r += 5; } break; }
        if ((r & 31) == 9) { r += 2; continue; }
    }
    return r;
}
