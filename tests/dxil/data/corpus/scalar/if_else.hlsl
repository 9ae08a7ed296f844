// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r;
    BRANCH if ((x & 1) != 0) { r = x + y; } else { r = x * y + 5; }
    return r;
}
