// -T cs_6_0
uint compute(uint x, uint y)
{
    min16uint a = (min16uint)(x & 255), b = (min16uint)(y & 63);
    min16float f = (min16float)(x & 15), g = (min16float)(y & 15);
    a = a * b + 3;
    f = f * 0.5 + g;
    return (uint)a * 2u + (uint)(f * 2);
}
