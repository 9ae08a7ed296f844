// -T cs_6_6
uint compute(uint x, uint y)
{
    double a = (double)x * 0.5, b = (double)(y & 0xffff) * -3.0;
    return (uint)a + (uint)(int)b;
}
