// -T cs_6_6
uint compute(uint x, uint y)
{
    LOOP for (uint i = 0; i < 16; i++) {
        BRANCH if ((source_at((i + x) & 127) & 7) == (y & 7)) return i * 100 + x;
    }
    return 7777u;
}
