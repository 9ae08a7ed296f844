// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = y;
    BRANCH if ((x & 1) != 0) {
        BRANCH if ((x & 2) != 0) { r += source_at(x & 31); } else { r ^= 77u; }
        BRANCH if ((y & 1) != 0) { r *= 5u; }
    }
    return r;
}
