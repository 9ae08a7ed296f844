// -T cs_6_6
uint compute(uint x, uint y)
{
    int64_t p = (int64_t)(int)x * (int)y;
    return (uint)((uint64_t)p >> 32);
}
