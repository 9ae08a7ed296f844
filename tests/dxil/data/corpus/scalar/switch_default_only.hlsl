// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = x;
    switch (y & 7) { default: r += 9; break; }
    return r;
}
