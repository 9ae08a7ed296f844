// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 1;
    LOOP for (int i = (int)(x & 15); i >= 0; i--) { r = r * 3 + (uint)i; }
    return r + y;
}
