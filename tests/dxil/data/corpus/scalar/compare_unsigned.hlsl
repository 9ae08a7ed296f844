// -T cs_6_6
uint compute(uint x, uint y)
{
    return (x < y ? 1u : 0u) | (x <= y ? 2u : 0u) | (x > y ? 4u : 0u) | (x >= y ? 8u : 0u) | (x != y ? 16u : 0u);
}
