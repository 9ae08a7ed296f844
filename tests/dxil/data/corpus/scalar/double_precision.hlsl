// -T cs_6_6
uint compute(uint x, uint y)
{
    double a = (double)(x & 1023) * 0.5, b = (double)(y & 63) + 1.0;
    double c = a / b + a * b - 3.0;
    return (uint)(int)(c * 16.0) + (c > a ? 1u : 0u);
}
