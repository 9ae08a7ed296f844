// -T cs_6_6
uint compute(uint x, uint y)
{
    return x < y ? x & 1 ? 3u : y : x == y ? 9u : x * 2;
}
