// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 1;
    switch (x % 6) {
        case 0: r = y * 3; break;
        case 1: r = y + 7; break;
        case 2: case 3: r = y ^ x; break;
        case 4: r = 0; LOOP for (uint i = 0; i < (y & 15); i++) r = (r ^ i) * x; break;
        default: r = x >> 3;
    }
    return r;
}
