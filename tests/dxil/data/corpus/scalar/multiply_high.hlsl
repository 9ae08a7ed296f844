// -T cs_6_6
uint compute(uint x, uint y)
{
    uint64_t p = (uint64_t)x * y;
    return (uint)(p >> 32) ^ (uint)p;
}
