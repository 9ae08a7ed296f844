// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    BRANCH if (x < 4) { r = y; }
    else BRANCH if (x < 8) { r = y * 2 + source_at(x & 63); }
    else BRANCH if (x < 12) { r = y * 3; }
    else { r = source_at(y & 63) ^ x; }
    return r + x;
}
