// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    LOOP for (uint i = 0; i < (x & 31); i++) {
        BRANCH if (((i ^ y) & 3) == 0) continue;
        r = r * 7 + i;
    }
    return r;
}
