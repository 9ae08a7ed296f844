// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    LOOP for (uint i = 0; i < (x & 15) + 2; i++) {
        switch ((i + y) & 3) {
            case 0: r += 5; continue;
            case 1: r ^= source_at(i); break;
            default: r *= 3; break;
        }
        r++;
    }
    return r;
}
