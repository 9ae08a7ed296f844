// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = 0, b = 1;
    LOOP for (uint i = 0; i < (x & 31); i++) { uint t = a + b; a = b; b = t; }
    return a ^ y;
}
