// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    LOOP for (;;) {
        BRANCH if (r > (x & 255)) break;
        r = r * 2 + (y & 7) + 1;
    }
    return r;
}
