// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = x & 63;
    LOOP while (true) {
        r += 3;
        BRANCH if (r > 100 + (y & 15)) break;
        r += source_at(r & 127) & 3;
    }
    return r;
}
