// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = x;
    BRANCH if (y > 8) { r = r * 3 + y; }
    return r;
}
