// -T cs_6_6
uint compute(uint x, uint y)
{
    const uint table[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    uint r = 0;
    LOOP for (uint i = 0; i < (x & 15); i++) r = r * 7 + table[(i + y) % 12];
    return r;
}
