// -T cs_6_6
uint compute(uint x, uint y)
{
    return x / ((y & 1023) + 1) + x % ((y & 511) + 3);
}
