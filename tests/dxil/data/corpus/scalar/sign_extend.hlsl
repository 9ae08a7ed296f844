// -T cs_6_6
uint compute(uint x, uint y)
{
    int a = (int)(x << 24) >> 24, b = (int)(y << 16) >> 16;
    return (uint)(a * 3 + b);
}
