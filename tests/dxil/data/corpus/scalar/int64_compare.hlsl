// -T cs_6_6
uint compute(uint x, uint y)
{
    int64_t a = (int64_t)(((uint64_t)x << 32) | y), b = (int64_t)(((uint64_t)y << 32) | x);
    return (a < b ? 1u : 0u) | (a == b ? 2u : 0u) | (a > (int64_t)0 ? 4u : 0u);
}
