// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = y;
    switch (x & 3) {
        case 0: r += 1;
        case 1: r *= 3; break;
        case 2: r ^= 21u;
        default: r += 100; break;
    }
    return r;
}
