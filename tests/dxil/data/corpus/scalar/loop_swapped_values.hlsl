// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x, b = y;
    LOOP for (uint i = 0; i < 9; i++) { uint t = a; a = b + i; b = t ^ 5u; }
    return a * 3 + b;
}
