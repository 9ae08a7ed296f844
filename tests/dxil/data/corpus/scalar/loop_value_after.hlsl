// -T cs_6_6
uint compute(uint x, uint y)
{
    uint last = 0, i = 0;
    LOOP for (; i < (x & 15); i++) { last = source_at((i + y) & 127); }
    return last * 3 + i;
}
