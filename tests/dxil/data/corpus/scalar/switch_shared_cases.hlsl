// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    switch (x & 7) {
        case 0: case 3: case 5: r = y + 1; break;
        case 1: case 2: r = y * 2; break;
        default: r = source_at(y & 127); break;
    }
    return r + x;
}
