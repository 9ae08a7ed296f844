// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    a *= y;
    if ((((b * a)) & 15) > 1) return (a - b);
    if (((b) & 1) == 1 || ((x) & 1) > 5 && (((b | a)) & 7) > 3 || ((((a & x) - 2u)) & 7) == 5) {
        b += 13u;
        b = (y - b);
    }
    a *= (((y + b) << ((a + b) & 7)) & (y << (a & 7)));
    return a * 31 + b;
}
