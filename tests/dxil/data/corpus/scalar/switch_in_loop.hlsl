// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    LOOP for (uint i = 0; i < (x & 15); i++) {
        switch ((y >> i) & 3) {
            case 0: continue;
            case 1: r += i; break;
            case 2: r ^= 0x55; break;
            default: if (r > 40) return r + 1000; r *= 3;
        }
        r += 1;
    }
    return r;
}
