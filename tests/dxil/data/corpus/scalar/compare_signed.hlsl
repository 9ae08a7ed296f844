// -T cs_6_6
uint compute(uint x, uint y)
{
    int a = (int)x, b = (int)y;
    return (a < b ? 1u : 0u) | (a <= b ? 2u : 0u) | (a > b ? 4u : 0u) | (a >= b ? 8u : 0u) | (a == b ? 16u : 0u);
}
