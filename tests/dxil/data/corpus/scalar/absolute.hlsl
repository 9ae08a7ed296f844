// -T cs_6_6
uint compute(uint x, uint y)
{
    return (uint)abs((int)(x & 0xffff) - 30000) + (uint)abs((int)y / 2);
}
