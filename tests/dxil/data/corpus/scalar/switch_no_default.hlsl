// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = x;
    switch (y & 7) {
        case 1: r += source_at(3); break;
        case 4: r *= 7u; break;
        case 6: r ^= 0xffu; break;
    }
    return r;
}
