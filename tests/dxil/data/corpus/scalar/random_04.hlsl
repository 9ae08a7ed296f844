// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    a *= (a - (a + 12u));
    a = ((b ^ (a | y)) & a);
    b = (((y & x) ^ a) & ((x * b) << ((b & y) & 7)));
    if (((a) & 3) == 2 && ((b) & 1) < 5) return (a | ((b - b) >> ((a * a) & 7)));
    return a * 31 + b;
}
