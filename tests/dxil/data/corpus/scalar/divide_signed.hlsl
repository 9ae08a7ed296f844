// -T cs_6_6
uint compute(uint x, uint y)
{
    int a = (int)(x & 0xfffff) - 500000, b = (int)(y & 255) + 1;
    return (uint)(a / b) * 3 + (uint)(a % b);
}
