// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0, i = 0;
    LOOP while (source_at(i & 127) % 5 != (x % 5) && i < 40) { i++; r += i; }
    return r * 2 + i + y;
}
