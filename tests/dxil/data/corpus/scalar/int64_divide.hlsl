// -T cs_6_6
uint compute(uint x, uint y)
{
    uint64_t a = ((uint64_t)x << 20) | y, b = (uint64_t)(y & 0xffff) + 1;
    return (uint)(a / b) ^ (uint)(a % b);
}
