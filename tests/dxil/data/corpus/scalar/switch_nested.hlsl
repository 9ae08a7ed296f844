// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = x;
    switch (x & 3) {
        case 0:
            switch (y & 3) { case 1: r += 10; break; case 2: r += 20; break; default: r += 30; break; }
            r *= 2;
            break;
        case 2: r += 1000; break;
        default: r ^= y; break;
    }
    return r;
}
