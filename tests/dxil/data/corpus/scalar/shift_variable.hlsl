// -T cs_6_6
uint compute(uint x, uint y)
{
    return (x << (y & 31)) ^ (x >> ((y >> 5) & 31)) ^ (uint)((int)x >> (y & 7));
}
