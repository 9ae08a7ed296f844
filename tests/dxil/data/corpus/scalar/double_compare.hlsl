// -T cs_6_6
uint compute(uint x, uint y)
{
    double a = (double)x, b = (double)y * 2.0;
    return (a < b ? 1u : 0u) | (a == b ? 2u : 0u) | (a >= b ? 4u : 0u);
}
