// -T cs_6_6
uint compute(uint x, uint y)
{
    uint mask = 0xff0u;
    return (x & ~mask) | ((y << 4) & mask);
}
